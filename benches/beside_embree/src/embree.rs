//! Embree's C library: one mesh of triangles, and its nearest hits.
#![allow(unsafe_code, reason = "a C library is driven")]

use std::error::Error;
use std::ffi::{c_char, c_int, c_uint, c_void};
use std::path::{Path, PathBuf};
use std::ptr;

use libloading::os::unix::{Library, RTLD_GLOBAL, RTLD_NOW};

/// `RTCRayHit8` and `RTCRayHit16`; a single ray has the same members in the same order.
#[derive(Clone)]
#[repr(C, align(64))]
pub struct RayHit<const N: usize> {
    pub origin: [[f32; N]; 3],
    pub near: [f32; N],
    pub direction: [[f32; N]; 3],
    pub time: [f32; N],
    pub far: [f32; N],
    pub mask: [u32; N],
    pub id: [u32; N],
    pub flags: [u32; N],
    pub normal: [[f32; N]; 3],
    pub uv: [[f32; N]; 2],
    pub primitive: [u32; N],
    pub geometry: [u32; N],
    /// Instances; more room than any version needs.
    pub instance: [[u32; N]; 4],
}

impl<const N: usize> RayHit<N> {
    /// Rays from lambda 0 to 1 that have met nothing, by their origins and directions.
    pub fn new(rays: &[([f32; 3], [f32; 3]); N]) -> Self {
        let axis = |axis: usize| rays.map(|(origin, _)| origin[axis]);
        let along = |axis: usize| rays.map(|(_, direction)| direction[axis]);
        Self {
            origin: [axis(0), axis(1), axis(2)],
            near: [0.0; N],
            direction: [along(0), along(1), along(2)],
            time: [0.0; N],
            far: [1.0; N],
            mask: [u32::MAX; N],
            id: [0; N],
            flags: [0; N],
            normal: [[0.0; N]; 3],
            uv: [[0.0; N]; 2],
            primitive: [u32::MAX; N],
            geometry: [u32::MAX; N],
            instance: [[u32::MAX; N]; 4],
        }
    }
}

/// `RTCIntersectArguments`.
#[repr(C)]
struct Arguments {
    flags: c_int,
    features: c_uint,
    pointers: [*mut c_void; 3],
    more: [usize; 4],
}

type Packet<const N: usize> = unsafe extern "C" fn(*const c_int, *mut c_void, *mut RayHit<N>, *mut Arguments);
type Single = unsafe extern "C" fn(*mut c_void, *mut RayHit<1>, *mut Arguments);

/// A mesh of triangles.
pub struct Embree {
    scene: *mut c_void,
    sixteen: Packet<16>,
    eight: Packet<8>,
    single: Single,
    _libraries: [Library; 2],
}

/// The library in a directory whose name begins so.
fn find(directory: &Path, name: &str) -> Result<PathBuf, Box<dyn Error>> {
    for entry in std::fs::read_dir(directory)? {
        let path = entry?.path();
        if path.file_name().is_some_and(|file| file.to_string_lossy().starts_with(name)) {
            return Ok(path);
        }
    }
    Err(format!("{}: no {name}*.so", directory.display()).into())
}

/// A function of a library.
macro_rules! function {
    ($library:ident, $name:literal: fn($($argument:ty),*) $(-> $output:ty)?) => {
        *$library.get::<unsafe extern "C" fn($($argument),*) $(-> $output)?>($name)?
    };
}

impl Embree {
    /// Lays out a mesh, for the fastest queries.
    pub fn new(directory: &Path, corners: &[[f32; 3]], triangles: &[[u32; 3]]) -> Result<Self, Box<dyn Error>> {
        type Handle = *mut c_void;
        const HIGH: c_int = 2;
        // SAFETY: the functions are declared as in Embree 4's rtcore.h, and buffers hold as much as is copied to them.
        unsafe {
            let tbb = Library::open(Some(find(directory, "libtbb")?), RTLD_NOW | RTLD_GLOBAL)?;
            let library = Library::open(Some(find(directory, "libembree4")?), RTLD_NOW)?;
            let device = function!(library, b"rtcNewDevice": fn(*const c_char) -> Handle)(c"threads=1".as_ptr());
            let scene = function!(library, b"rtcNewScene": fn(Handle) -> Handle)(device);
            function!(library, b"rtcSetSceneBuildQuality": fn(Handle, c_int))(scene, HIGH);
            let mesh = function!(library, b"rtcNewGeometry": fn(Handle, c_int) -> Handle)(device, 0);
            let buffer = function!(
                library,
                b"rtcSetNewGeometryBuffer": fn(Handle, c_int, c_uint, c_int, usize, usize) -> Handle
            );
            let places = buffer(mesh, 1, 0, 0x9003, 12, corners.len()).cast::<[f32; 3]>();
            ptr::copy_nonoverlapping(corners.as_ptr(), places, corners.len());
            let indices = buffer(mesh, 0, 0, 0x5003, 12, triangles.len()).cast::<[u32; 3]>();
            ptr::copy_nonoverlapping(triangles.as_ptr(), indices, triangles.len());
            function!(library, b"rtcSetGeometryBuildQuality": fn(Handle, c_int))(mesh, HIGH);
            function!(library, b"rtcCommitGeometry": fn(Handle))(mesh);
            function!(library, b"rtcAttachGeometry": fn(Handle, Handle) -> c_uint)(scene, mesh);
            function!(library, b"rtcCommitScene": fn(Handle))(scene);
            let error = function!(library, b"rtcGetDeviceError": fn(Handle) -> c_int)(device);
            if error != 0 {
                return Err(format!("Embree reports error {error}").into());
            }
            Ok(Self {
                scene,
                sixteen: *library.get::<Packet<16>>(b"rtcIntersect16")?,
                eight: *library.get::<Packet<8>>(b"rtcIntersect8")?,
                single: *library.get::<Single>(b"rtcIntersect1")?,
                _libraries: [tbb, library],
            })
        }
    }

    /// Traces packets of sixteen.
    pub fn sixteen(&self, packets: &mut [RayHit<16>], coherent: bool) {
        packets_of(self.scene, self.sixteen, packets, coherent);
    }

    /// Traces packets of eight.
    pub fn eight(&self, packets: &mut [RayHit<8>], coherent: bool) {
        packets_of(self.scene, self.eight, packets, coherent);
    }

    /// Traces rays one by one.
    pub fn single(&self, rays: &mut [RayHit<1>]) {
        let mut arguments = arguments(false);
        for ray in rays {
            // SAFETY: a ray has the members that the function reads and writes.
            unsafe { (self.single)(self.scene, ray, &raw mut arguments) };
        }
    }
}

fn packets_of<const N: usize>(scene: *mut c_void, trace: Packet<N>, packets: &mut [RayHit<N>], coherent: bool) {
    #[repr(align(64))]
    struct All([c_int; 16]);
    let (all, mut arguments) = (All([-1; 16]), arguments(coherent));
    for packet in packets {
        // SAFETY: a packet has the members that the function reads and writes, and `all` has enough lanes.
        unsafe { trace(all.0.as_ptr(), scene, packet, &raw mut arguments) };
    }
}

fn arguments(coherent: bool) -> Arguments {
    let flags = if coherent { 1 << 16 } else { 0 };
    Arguments { flags, features: u32::MAX, pointers: [ptr::null_mut(); 3], more: [0; 4] }
}
