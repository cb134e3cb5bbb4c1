use std::fs;
use std::path::PathBuf;

use super::super::jsbsim_air_forces;
use super::*;

const PISTON: &str = "<piston_engine><displacement>360</displacement></piston_engine>";
const TURBINE: &str = "<turbine_engine><function name='IdleThrust'><value>0.1</value></function>\
    <function name='MilThrust'><value>1</value></function></turbine_engine>";
const ROCKET: &str = "<rocket_engine><isp>250</isp></rocket_engine>";
const BRUSHLESS: &str = "<brushless_dc_motor><velocityconstant>700</velocityconstant><coilresistance>0.1</coilresistance>\
    <noloadcurrent>0.5</noloadcurrent><maxvolts>16</maxvolts></brushless_dc_motor>";
const TURBOPROP: &str = "<turboprop_engine><maxpower>500</maxpower><function name='EnginePowerVC'><value>1</value></function>\
    <table name='EnginePowerRPM_N1'><tableData>50 100\n0 1 60\n2500 20 800</tableData></table></turboprop_engine>";
const PROPELLER: &str = "<propeller><ixx>2</ixx><diameter>6</diameter><table name='C_THRUST'><tableData>0 0.1\n1 0</tableData></table>\
    <table name='C_POWER'><tableData>0 0.06\n1 0.01</tableData></table></propeller>";

/// Of two columns, each with a number of its own.
const COLUMNS: &str = "<tableData>\n 0 1\n0.5 1 1\n0.9 1 1</tableData>";

/// An aircraft in a folder of its own.
struct Folder(tempfile::TempDir);

impl Folder {
    /// With an engine on line 5, and sections on line 8.
    fn new(motor: &str, thruster: &str, sections: &str) -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        folder.write(
            "aircraft.xml",
            format!(
                "<fdm_config>\n<mass_balance><ixx>900</ixx><iyy>900</iyy><izz>900</izz><emptywt>2000</emptywt>\
                 <location name='CG'><x>0</x><y>0</y><z>0</z></location></mass_balance>\n<propulsion>\n{motor}\n\
                 <thruster>{thruster}</thruster></engine>\n</propulsion>\n{sections}\n</fdm_config>"
            ),
        );
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        fs::create_dir_all(self.path(name).parent().unwrap()).unwrap();
        fs::write(self.path(name), text).unwrap();
    }

    fn read(&self) -> Result<ImportedPropulsion, ImportError> {
        jsbsim_propulsion(&self.path("aircraft.xml"))
    }

    /// The file that an error is in, its line, and what it says.
    fn error(&self) -> (String, usize, String) {
        match self.read().unwrap_err() {
            ImportError::Jsbsim { path, line, message } => {
                let file = path.strip_prefix(self.0.path()).unwrap();
                (file.to_string_lossy().into_owned(), line, message)
            }
            other => panic!("{other}"),
        }
    }
}

fn with(motor: &str, thruster: &str) -> Folder {
    Folder::new(&format!("<engine>\n{motor}"), thruster, "")
}

/// Adds an element to the end of another.
fn and(element: &str, added: &str) -> String {
    let end = element.rfind("</").unwrap();
    format!("{}{added}{}", &element[..end], &element[end..])
}

#[test]
fn each_of_these_engines_is_read() {
    for (motor, thruster) in [
        (PISTON, PROPELLER),
        (TURBINE, "<direct/>"),
        (ROCKET, "<nozzle><area>1</area></nozzle>"),
        (BRUSHLESS, PROPELLER),
        (TURBOPROP, PROPELLER),
    ] {
        let imported = with(motor, thruster).read().unwrap();
        assert!(imported.left_out.is_empty() && !imported.functions.is_empty(), "{motor}: {:?}", imported.left_out);
    }
}

#[test]
fn a_table_that_one_number_looks_up_has_no_columns() {
    let table = |name: &str| format!("<table name='{name}'>{COLUMNS}</table>");
    for (motor, thruster) in [
        (and(PISTON, &table("MIXTURE")), PROPELLER.to_owned()),
        (and(ROCKET, &format!("<thrust_table>{COLUMNS}</thrust_table>")), "<direct/>".to_owned()),
        (PISTON.to_owned(), and(PROPELLER, &table("CT_MACH"))),
        (PISTON.to_owned(), and(PROPELLER, &table("CP_MACH"))),
    ] {
        let (file, line, message) = with(&motor, &thruster).error();
        assert_eq!(file, "aircraft.xml");
        assert!(message.contains("must hold pairs of a point and a value"), "{motor}{thruster}: {message}");
        assert!((5..9).contains(&line), "{motor}{thruster}: {line}");
    }
}

#[test]
fn what_is_divided_by_is_not_zero() {
    for (motor, added, message) in [
        (
            PISTON,
            "<compression-ratio>1</compression-ratio>",
            "<compression-ratio>: `1` is not allowed: must be above 1",
        ),
        (PISTON, "<cycles>0</cycles>", "<cycles>: `0` is not allowed: must be above 0"),
        (PISTON, "<stroke>0</stroke>", "<stroke>: `0` is not allowed: must be above 0"),
        (PISTON, "<idlerpm>0</idlerpm>", "<idlerpm>: `0` is not allowed: must be above 0"),
        (PISTON, "<maxrpm>-1</maxrpm>", "<maxrpm>: `-1` is not allowed: must be above 0"),
        (PISTON, "<minmp>0</minmp>", "<minmp>: `0` is not allowed: must be above 0"),
        (PISTON, "<bsfc>0</bsfc>", "<bsfc>: `0` is not allowed: must not be 0"),
        (PISTON, "<volumetric-efficiency>0</volumetric-efficiency>", "must be above 0"),
        (PISTON, "<peak-piston-speed>0</peak-piston-speed>", "must be above 0"),
        (TURBINE, "<maxn2>60</maxn2>", "<maxn2> of 60 and <idlen2> of 60 are not allowed: <maxn2> must be above"),
        (TURBINE, "<bypassratio>-3</bypassratio>", "<bypassratio>: `-3` is not allowed: must be at least 0"),
        (
            TURBOPROP,
            "<n1idle_max_delay>0</n1idle_max_delay>",
            "<n1idle_max_delay>: `0` is not allowed: must be above 0",
        ),
    ] {
        let (_, _, said) = with(&and(motor, added), "<direct/>").error();
        assert!(said.contains(message), "{added}: {said}");
    }
    for (motor, from, to) in [
        (BRUSHLESS, "<coilresistance>0.1", "<coilresistance>0"),
        (ROCKET, "<isp>250", "<isp>0"),
        (PISTON, "<displacement>360", "<displacement>0"),
    ] {
        let (_, _, said) = with(&motor.replace(from, to), "<direct/>").error();
        assert!(said.contains("`0` is not allowed: must be above 0"), "{to}: {said}");
    }
}

#[test]
fn a_reverser_that_a_system_sets_reverses() {
    let set = "<fcs_function name='propulsion/engine[0]/reverser-angle-rad'><function><value>1</value></function></fcs_function>";
    let system = format!("<system><channel name='a'>{set}</channel></system>");
    let reverses = |folder: &Folder| {
        let imported = folder.read().unwrap();
        imported.functions.iter().any(|function| function.name == "propulsion/engine/reverser-angle-rad")
    };
    assert!(!reverses(&with(TURBINE, "<direct/>")));
    let of = |sections: &str| Folder::new(&format!("<engine>\n{TURBINE}"), "<direct/>", sections);
    assert!(reverses(&of(&system)), "by the name of a component");
    for file in ["reverser.xml", "Systems/reverser.xml", "systems/reverser.xml"] {
        for head in ["", "<!DOCTYPE system [<!ENTITY a 'b'>]>\n"] {
            let folder = of("<system file='reverser'/>");
            folder.write(file, format!("{head}{system}"));
            assert!(reverses(&folder), "{file} {head}");
        }
    }
    let (file, line, message) = of("<system file='reverser'/>").error();
    assert_eq!((file.as_str(), line), ("aircraft.xml", 8));
    assert!(message.contains("`reverser.xml` is not found"), "{message}");
}

#[test]
fn a_file_that_is_there_and_cannot_be_read_is_not_said_to_be_missing() {
    let folder = Folder::new("<engine file='motor'>", "<direct/>", "");
    folder.write("Engines/motor.xml", b"<turbine_engine>\n<!-- 15 \xb0C -->\n</turbine_engine>");
    // Of the same name, in a folder that comes later.
    folder.write("engine/motor.xml", TURBINE);
    let (file, line, message) = folder.error();
    assert_eq!((file.as_str(), line), ("Engines/motor.xml", 2));
    assert!(message.contains("not UTF-8"), "{message}");

    let folder = Folder::new(&format!("<engine>\n{TURBINE}"), "<direct/>", "<system file='lights'/>");
    folder.write("Systems/lights.xml", b"<system>\n\xb0</system>");
    let (file, line, _) = folder.error();
    assert_eq!((file.as_str(), line), ("Systems/lights.xml", 2));
    let of_air_forces = jsbsim_air_forces(&folder.path("aircraft.xml"), &[]).unwrap_err().to_string();
    assert!(of_air_forces.contains("lights.xml:2: ") && of_air_forces.contains("not UTF-8"), "{of_air_forces}");
}
