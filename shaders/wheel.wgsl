// Job `wheel`: wheels led through prescribed frames. One invocation leads one wheel through the frames of a slice.

@group(0) @binding(4) var<uniform> wheel: PrescribedWheel;
@group(0) @binding(5) var<storage, read_write> runs: array<WheelRun>;
@group(0) @binding(6) var<storage, read> frames: array<PrescribedFrame>;
@group(0) @binding(7) var<storage, read_write> results: array<WheelResult>;

fn wheel_parameters(number: u32) -> WheelParameters {
    return wheel.parameters;
}

fn strut_line(index: u32) -> vec4<f32> {
    return wheel.strut[index];
}

@compute @workgroup_size(WORKGROUP)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= arrayLength(&runs) {
        return;
    }
    let run = runs[id.x];
    var contact = WheelContact(run.pebble, run.state, run.normal, run.material, run.leaf);
    frame_origin = run.frame_origin;
    var done = 0u;
    while done < run.count && 4u * rounds < 3u * scene.rounds {
        let prescribed = frames[run.first + done];
        contact.pebble += frame_origin - prescribed.frame_origin;
        frame_origin = prescribed.frame_origin;
        let frame = WheelFrame(
            prescribed.origin,
            prescribed.brake,
            prescribed.velocity,
            prescribed.brake_friction,
            matrix_of(prescribed.orientation),
        );
        let step = step_wheel(true, 0u, contact, frame, 1.0, wheel.parameters.z_max, false, false);
        rounds += 1u;
        if rounds >= scene.rounds || loops_are_cut() {
            // The driver may have cut a loop short: this step's result is not to be trusted.
            break;
        }
        contact = step.contact;
        results[run.first + done] = WheelResult(
            contact.pebble,
            contact.state,
            step.force,
            contact.leaf,
            step.normal_force,
            step.compression,
            step.friction,
            u32(step.clip_case - CLIP_NOT_COMPUTED + 1) | select(0u, OVER_MAX_FORCE, step.over_max_force)
                | (contact.material << MATERIAL_SHIFT),
        );
        done += 1u;
    }
    runs[id.x] = WheelRun(
        contact.pebble, contact.state, contact.normal, contact.material, frame_origin, contact.leaf, run.first, run.count,
        done, 0u,
    );
}
