//! Structures that cross to a device, declared once: a declaration gives both the Rust type and its text in WGSL.
//!
//! Rust packs fields, WGSL aligns them. A declaration compiles only where both put every field in the same place.

/// What a structure may hold.
pub(in crate::gpu) trait OnDevice {
    /// Places there that it may stand at are multiples of this \[bytes\].
    const ALIGN: usize;

    /// Its type in WGSL.
    fn name() -> String;
}

macro_rules! scalars_and_vectors {
    ($($type:ty: $name:literal at $align:literal),+ $(,)?) => {
        $(impl OnDevice for $type {
            const ALIGN: usize = $align;

            fn name() -> String {
                $name.to_owned()
            }
        })+
    };
}

scalars_and_vectors! {
    f32: "f32" at 4,
    u32: "u32" at 4,
    [f32; 2]: "vec2<f32>" at 8,
    [f32; 3]: "vec3<f32>" at 16,
    [f32; 4]: "vec4<f32>" at 16,
    [u32; 2]: "vec2<u32>" at 8,
    [u32; 3]: "vec3<u32>" at 16,
    [u32; 4]: "vec4<u32>" at 16,
    Matrix: "mat3x3<f32>" at 16,
}

impl<const N: usize> OnDevice for [[f32; 4]; N] {
    const ALIGN: usize = 16;

    fn name() -> String {
        array_of::<[f32; 4]>(N)
    }
}

impl<const N: usize> OnDevice for [[u32; 4]; N] {
    const ALIGN: usize = 16;

    fn name() -> String {
        array_of::<[u32; 4]>(N)
    }
}

/// The WGSL array type of this many of these.
pub(in crate::gpu) fn array_of<T: OnDevice>(length: usize) -> String {
    const { assert!(size_of::<T>().is_multiple_of(T::ALIGN), "the device would leave gaps") };
    format!("array<{}, {length}>", T::name())
}

/// Columns of three numbers each; the fourth fills the place that WGSL leaves.
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(transparent)]
pub(in crate::gpu) struct Matrix(pub [[f32; 4]; 3]);

/// A field of a structure: its type in WGSL, and its place in words.
#[derive(Clone, Debug)]
pub(in crate::gpu) struct Field {
    pub name: String,
    pub kind: String,
    pub at: usize,
}

/// A structure of fields.
pub(in crate::gpu) trait Structure: OnDevice {
    /// Its fields in WGSL.
    fn fields() -> String;

    /// Its fields, with their places.
    fn places() -> Vec<Field>;

    /// Its declaration in WGSL.
    fn declaration() -> String {
        Self::declaration_with(&[])
    }

    /// The declaration of what begins with these fields and goes on with others, whose types are given: arrays whose length
    /// Rust does not know when it is compiled.
    fn declaration_with(others: &[(&str, String)]) -> String {
        let others: String = others.iter().map(|(field, kind)| format!("    {field}: {kind},\n")).collect();
        format!("struct {} {{\n{}{others}}}\n", Self::name(), Self::fields())
    }
}

/// The largest of some numbers.
pub(in crate::gpu) const fn largest(numbers: &[usize]) -> usize {
    let (mut largest, mut index) = (0, 0);
    while index < numbers.len() {
        if numbers[index] > largest {
            largest = numbers[index];
        }
        index += 1;
    }
    largest
}

/// Declares a structure for both sides, where its name may be another in WGSL.
macro_rules! on_device {
    ($(#[$about:meta])* $name:ident { $($fields:tt)+ }) => {
        $crate::gpu::wire::on_device! { $(#[$about])* $name as $name { $($fields)+ } }
    };
    ($(#[$about:meta])* $name:ident as $there:ident { $($(#[$of_field:meta])* $field:ident: $type:ty),+ $(,)? }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
        #[repr(C)]
        pub(in crate::gpu) struct $name {
            $($(#[$of_field])* pub $field: $type),+
        }

        impl $crate::gpu::wire::OnDevice for $name {
            const ALIGN: usize =
                $crate::gpu::wire::largest(&[$(<$type as $crate::gpu::wire::OnDevice>::ALIGN),+]);

            fn name() -> String {
                stringify!($there).to_owned()
            }
        }

        impl $crate::gpu::wire::Structure for $name {
            fn fields() -> String {
                let fields = [
                    $((stringify!($field), <$type as $crate::gpu::wire::OnDevice>::name())),+
                ];
                fields.map(|(field, kind)| format!("    {field}: {kind},\n")).concat()
            }

            fn places() -> Vec<$crate::gpu::wire::Field> {
                vec![$($crate::gpu::wire::Field {
                    name: stringify!($field).to_owned(),
                    kind: <$type as $crate::gpu::wire::OnDevice>::name(),
                    at: std::mem::offset_of!($name, $field) / 4,
                }),+]
            }
        }

        // A gap that WGSL needs and Rust does not leave would move all that follows.
        const _: () = {
            $(assert!(std::mem::offset_of!($name, $field)
                .is_multiple_of(<$type as $crate::gpu::wire::OnDevice>::ALIGN));)+
            assert!(size_of::<$name>().is_multiple_of(<$name as $crate::gpu::wire::OnDevice>::ALIGN));
        };
    };
}

pub(in crate::gpu) use on_device;

#[cfg(test)]
pub(in crate::gpu) mod tests {
    use naga::TypeInner;

    use super::{Matrix, OnDevice, Structure, array_of};

    /// Places \[bytes\] of the members of a structure in WGSL, and its size.
    pub fn layout_of(source: &str, name: &str) -> (Vec<(String, usize)>, usize) {
        let module = naga::front::wgsl::parse_str(source).unwrap();
        let found = module.types.iter().find(|(_, ty)| ty.name.as_deref() == Some(name)).unwrap().1;
        let TypeInner::Struct { members, span } = &found.inner else { panic!("{found:?}") };
        let place = |member: &naga::StructMember| (member.name.clone().unwrap(), member.offset as usize);
        (members.iter().map(place).collect(), *span as usize)
    }

    on_device! {
        /// Scalars and vectors.
        Inner { vector: [f32; 3], number: f32, four: [f32; 4], pair: [u32; 2], flat: [f32; 2], words: [u32; 4] }
    }

    on_device! {
        /// One within another, under another name.
        Outer as Whole {
            count: u32,
            unused0: u32,
            unused1: [u32; 2],
            inner: Inner,
            matrix: Matrix,
            rows: [[f32; 4]; 5],
            last: [u32; 3],
            end: u32,
        }
    }

    #[test]
    fn a_declaration_has_the_same_layout_on_both_sides() {
        let (places, span) = layout_of(&[Inner::declaration(), Outer::declaration()].concat(), "Whole");
        let expected = [
            ("count", std::mem::offset_of!(Outer, count)),
            ("unused0", std::mem::offset_of!(Outer, unused0)),
            ("unused1", std::mem::offset_of!(Outer, unused1)),
            ("inner", std::mem::offset_of!(Outer, inner)),
            ("matrix", std::mem::offset_of!(Outer, matrix)),
            ("rows", std::mem::offset_of!(Outer, rows)),
            ("last", std::mem::offset_of!(Outer, last)),
            ("end", std::mem::offset_of!(Outer, end)),
        ];
        assert_eq!(places, expected.map(|(name, place)| (name.to_owned(), place)));
        assert_eq!(span, size_of::<Outer>());
        assert_eq!(<Outer as OnDevice>::ALIGN, 16);
    }

    #[test]
    fn arrays_follow_the_declared_fields() {
        let arrays = [("numbers", array_of::<f32>(3)), ("inner", array_of::<Inner>(2))];
        let (places, span) = layout_of(
            &[Inner::declaration(), Inner::declaration_with(&arrays).replace("struct Inner", "struct Long")].concat(),
            "Long",
        );
        let size = size_of::<Inner>();
        assert_eq!(places[6..], [("numbers".to_owned(), size), ("inner".to_owned(), size + 16)]);
        assert_eq!(span, 3 * size + 16);
    }
}
