//! Structures that cross to a device, declared once: a declaration gives both the Rust type and its text in WGSL.
//!
//! Rust packs fields, WGSL aligns them. A declaration compiles only where both put every field in the same place.

/// What a structure may hold.
pub(in crate::gpu) trait OnDevice {
    /// Its type in WGSL.
    const NAME: &'static str;
    /// Places there that it may stand at are multiples of this \[bytes\].
    const ALIGN: usize;
}

impl OnDevice for f32 {
    const NAME: &'static str = "f32";
    const ALIGN: usize = 4;
}

impl OnDevice for u32 {
    const NAME: &'static str = "u32";
    const ALIGN: usize = 4;
}

impl OnDevice for [f32; 3] {
    const NAME: &'static str = "vec3<f32>";
    const ALIGN: usize = 16;
}

impl OnDevice for [f32; 4] {
    const NAME: &'static str = "vec4<f32>";
    const ALIGN: usize = 16;
}

/// A structure of fields.
pub(in crate::gpu) trait Structure: OnDevice {
    /// Its declaration in WGSL, under the same name.
    fn declaration() -> String;
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

/// Declares a structure for both sides.
macro_rules! on_device {
    ($(#[$about:meta])* $name:ident { $($(#[$of_field:meta])* $field:ident: $type:ty),+ $(,)? }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
        #[repr(C)]
        pub(in crate::gpu) struct $name {
            $($(#[$of_field])* pub $field: $type),+
        }

        impl $crate::gpu::wire::OnDevice for $name {
            const NAME: &'static str = stringify!($name);
            const ALIGN: usize =
                $crate::gpu::wire::largest(&[$(<$type as $crate::gpu::wire::OnDevice>::ALIGN),+]);
        }

        impl $crate::gpu::wire::Structure for $name {
            fn declaration() -> String {
                let fields = [
                    $((stringify!($field), <$type as $crate::gpu::wire::OnDevice>::NAME)),+
                ];
                let fields = fields.map(|(field, kind)| format!("    {field}: {kind},\n"));
                format!("struct {} {{\n{}}}\n", stringify!($name), fields.concat())
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
mod tests {
    use naga::TypeInner;

    use super::{OnDevice, Structure};

    on_device! {
        /// Everything that a structure may hold.
        Inner { vector: [f32; 3], number: f32, four: [f32; 4] }
    }

    on_device! {
        /// One within another.
        Outer { count: u32, unused: [u32; 3], inner: Inner, last: [f32; 3], end: u32 }
    }

    impl OnDevice for [u32; 3] {
        // Packed, as no vector is.
        const NAME: &'static str = "array<u32, 3>";
        const ALIGN: usize = 4;
    }

    #[test]
    fn a_declaration_has_the_same_layout_on_both_sides() {
        let module = naga::front::wgsl::parse_str(&[Inner::declaration(), Outer::declaration()].concat()).unwrap();
        let found = module.types.iter().find(|(_, ty)| ty.name.as_deref() == Some("Outer")).unwrap().1;
        let TypeInner::Struct { members, span } = &found.inner else { panic!("{found:?}") };
        let places: Vec<(&str, usize)> =
            members.iter().map(|member| (member.name.as_deref().unwrap(), member.offset as usize)).collect();
        let expected = [
            ("count", std::mem::offset_of!(Outer, count)),
            ("unused", std::mem::offset_of!(Outer, unused)),
            ("inner", std::mem::offset_of!(Outer, inner)),
            ("last", std::mem::offset_of!(Outer, last)),
            ("end", std::mem::offset_of!(Outer, end)),
        ];
        assert_eq!(places, expected);
        assert_eq!(*span as usize, size_of::<Outer>());
        assert_eq!(<Outer as OnDevice>::ALIGN, 16);
    }
}
