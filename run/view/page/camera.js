// The camera: center of view, distance and direction.

export const FOCAL = 1.9; // in units of half the picture height

const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

export class Camera {
    center = [0, 0, 0];
    distance = 10;
    azimuth = 0.6; // radians
    elevation = 0.5;

    // Unit vectors to the right, upwards, and towards the eye.
    axes() {
        const ca = Math.cos(this.azimuth), sa = Math.sin(this.azimuth);
        const ce = Math.cos(this.elevation), se = Math.sin(this.elevation);
        return [[ca, sa, 0], [-sa * se, ca * se, ce], [sa * ce, -ca * ce, se]];
    }

    // The OpenGL matrix (column-major) for positions relative to the center. Small coordinates keep
    // their digits in single precision.
    matrix(aspect) {
        const [x, y, z] = this.axes(), d = this.distance;
        const near = 0.02 * d, far = 50 * d, a = (far + near) / (near - far), b = 2 * far * near / (near - far);
        const column = k => [FOCAL / aspect * x[k], FOCAL * y[k], a * z[k], -z[k]];
        return new Float32Array([...column(0), ...column(1), ...column(2), 0, 0, -a * d + b, d]);
    }

    // Returns pixels from the upper left, and the distance along the line of sight.
    project(point, width, height) {
        const r = point.map((value, k) => value - this.center[k]);
        const [x, y, z] = this.axes(), depth = this.distance - dot(z, r), scale = FOCAL * height / 2 / depth;
        return [width / 2 + scale * dot(x, r), height / 2 - scale * dot(y, r), depth];
    }

    turn(azimuth, elevation) {
        this.azimuth += azimuth;
        this.elevation = Math.max(-Math.PI / 2, Math.min(Math.PI / 2, this.elevation + elevation));
    }

    // Moves the scene by pixels of a picture with this height.
    move(right, down, height) {
        const [x, y] = this.axes(), length = this.distance * 2 / FOCAL / height;
        this.center = this.center.map((value, k) => value - length * (right * x[k] - down * y[k]));
    }

    zoom(factor) {
        this.distance *= factor;
    }
}
