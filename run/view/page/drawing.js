// Draws points with WebGL 2. Their light is summed in a float texture, and the logarithm of the sum gives the color.
import { FOCAL } from './camera.js';

export const MODES = ['density', 'component', 'speed'];

// By particle type: gas, halo, disk, bulge, stars, boundary.
export const TYPE_COLOURS = [[0.25, 0.9, 0.75], [1, 0.42, 0.12], [0.25, 0.55, 1], [1, 0.85, 0.35], [0.8, 0.85, 1], [0.8, 0.3, 1]];

// Eleven equidistant colors of matplotlib's map "inferno" (CC0).
const MAP = [0x000004, 0x160b39, 0x420a68, 0x6a176e, 0x932667, 0xbc3754, 0xdd513a, 0xf37819, 0xfca50a, 0xf6d746, 0xfcffa4];
const mapColours = MAP.flatMap(colour => [colour >> 16, colour >> 8 & 255, colour & 255].map(value => value / 255));

// The CSS color of a number between 0 and 1.
export function mapColour(value) {
    const place = Math.min(Math.max(value, 0), 1) * 10, k = Math.min(Math.floor(place), 9), part = place - k;
    const channel = c => Math.round(255 * ((1 - part) * mapColours[3 * k + c] + part * mapColours[3 * k + 3 + c]));
    return `rgb(${channel(0)},${channel(1)},${channel(2)})`;
}

const POINT_VERTEX = `
layout(location = 0) in vec3 place;      // in the frame's cube, 0 to 1
layout(location = 1) in vec2 attributes; // type, speed
uniform mat4 matrix;
uniform vec3 low;
uniform float span, size, largest, weights[6];
uniform vec3 colours[6];
uniform int mode;
out vec3 light;
void main() {
    gl_Position = matrix * vec4(low + place * span, 1.);
    float wide = size / gl_Position.w;
    float pixels = clamp(wide, 1., largest);
    gl_PointSize = pixels;
    int type = int(attributes.x + 0.5);
    // The light of a point does not depend on how wide it is drawn.
    float share = weights[type] / (pixels * pixels) * min(1., wide * wide);
    light = mode == 1 ? share * colours[type] : vec3(share, share * attributes.y / 255., 0.);
}`;
const POINT_FRAGMENT = `
in vec3 light;
uniform float soft;
out vec4 colour;
void main() {
    vec2 d = 2. * gl_PointCoord - 1.;
    if (soft > 0.5 && dot(d, d) > 1.)
        discard;
    colour = vec4(light * (soft > 0.5 ? 2.2 * exp(-2.5 * dot(d, d)) : 1.), 1.);
}`;
const TONE_VERTEX = `
void main() {
    gl_Position = vec4(vec2(gl_VertexID & 1, gl_VertexID >> 1) * 4. - 1., 0., 1.);
}`;
const TONE_FRAGMENT = `
uniform sampler2D lights;
uniform float dark, bright; // logarithms
uniform int mode;
uniform vec3 map[11];
out vec4 colour;
vec3 mapped(float value) {
    float at = clamp(value, 0., 1.) * 10.;
    int k = min(int(at), 9);
    return mix(map[k], map[k + 1], at - float(k));
}
void main() {
    vec3 light = texelFetch(lights, ivec2(gl_FragCoord.xy), 0).rgb;
    float most = mode == 1 ? max(light.r, max(light.g, light.b)) : light.r;
    if (most <= 0.) {
        colour = vec4(0., 0., 0., 1.);
        return;
    }
    float level = clamp((log(most) - dark) / (bright - dark), 0., 1.);
    vec3 shown = mode == 0 ? mapped(level) : mode == 1 ? light / most * level : mapped(.15 + .85 * light.g / light.r) * level;
    colour = vec4(shown, 1.);
}`;

export class Drawing {
    count = 0; // points
    draws = 0;
    trouble = '';

    constructor(canvas) {
        this.canvas = canvas;
        canvas.addEventListener('webglcontextlost', event => {
            event.preventDefault();
            this.trouble = 'The browser lost its graphics and will try to get them back.';
        });
        canvas.addEventListener('webglcontextrestored', () => {
            this.trouble = '';
            this.begin();
            if (this.bytes)
                this.setPoints(this.bytes, this.head);
        });
        this.begin();
    }

    begin() {
        const gl = this.gl = this.canvas.getContext('webgl2', { antialias: false, alpha: false, powerPreference: 'high-performance' });
        if (!gl) {
            this.trouble = 'This browser has no WebGL 2.';
            return;
        }
        const hasFloats = gl.getExtension('EXT_color_buffer_float');
        this.format = hasFloats && gl.getExtension('EXT_float_blend') ? gl.RGBA32F : gl.RGBA16F;
        if (!hasFloats && !gl.getExtension('EXT_color_buffer_half_float'))
            this.trouble = 'This browser cannot draw to textures of floats.';
        this.points = this.program(POINT_VERTEX, POINT_FRAGMENT);
        this.tone = this.program(TONE_VERTEX, TONE_FRAGMENT);
        this.largest = Math.min(64, gl.getParameter(gl.ALIASED_POINT_SIZE_RANGE)[1]);
        this.buffer = gl.createBuffer();
        this.array = gl.createVertexArray();
        gl.bindVertexArray(this.array);
        gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
        gl.enableVertexAttribArray(0);
        gl.enableVertexAttribArray(1);
        gl.vertexAttribPointer(0, 3, gl.UNSIGNED_SHORT, true, 8, 0);
        gl.vertexAttribPointer(1, 2, gl.UNSIGNED_BYTE, false, 8, 6);
        this.target = gl.createFramebuffer();
        this.texture = null;
        this.width = this.height = 0;
        this.exposure = null; // logarithms of the dark and bright ends
    }

    program(vertex, fragment) {
        const gl = this.gl, program = gl.createProgram();
        for (const [kind, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
            const shader = gl.createShader(kind);
            gl.shaderSource(shader, '#version 300 es\nprecision highp float;\nprecision highp int;\n' + text);
            gl.compileShader(shader);
            if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS))
                this.trouble = 'A shader was refused: ' + gl.getShaderInfoLog(shader);
            gl.attachShader(program, shader);
        }
        gl.linkProgram(program);
        if (!gl.getProgramParameter(program, gl.LINK_STATUS))
            this.trouble = 'The shaders were refused: ' + gl.getProgramInfoLog(program);
        const places = {};
        for (let k = 0; k < gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS); ++k) {
            const name = gl.getActiveUniform(program, k).name;
            places[name.replace('[0]', '')] = gl.getUniformLocation(program, name); // array names end in "[0]"
        }
        return { program, places };
    }

    // Sets the points of a frame. `head` states the mass per point and the cube.
    setPoints(bytes, head) {
        this.bytes = bytes;
        this.head = head;
        this.count = bytes.length / 8;
        const gl = this.gl;
        gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
        gl.bufferData(gl.ARRAY_BUFFER, bytes, gl.DYNAMIC_DRAW);
    }

    resize() {
        const gl = this.gl, ratio = Math.min(window.devicePixelRatio, 2);
        const width = Math.max(1, Math.round(this.canvas.clientWidth * ratio)), height = Math.max(1, Math.round(this.canvas.clientHeight * ratio));
        if (width == this.width && height == this.height && this.texture)
            return;
        this.width = this.canvas.width = width;
        this.height = this.canvas.height = height;
        gl.deleteTexture(this.texture);
        this.texture = gl.createTexture();
        gl.bindTexture(gl.TEXTURE_2D, this.texture);
        // Float textures need nearest filters: with the default filters they are incomplete and read as black.
        gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
        gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
        gl.texStorage2D(gl.TEXTURE_2D, 1, this.format, width, height);
        gl.bindFramebuffer(gl.FRAMEBUFFER, this.target);
        gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, this.texture, 0);
        if (gl.checkFramebufferStatus(gl.FRAMEBUFFER) != gl.FRAMEBUFFER_COMPLETE)
            this.trouble = 'This browser cannot draw to textures of floats.';
    }

    // settings: mode: index in MODES; size, brightness: 0 is the default; extent: radius of most points.
    draw(camera, settings) {
        if (this.trouble || !this.bytes)
            return;
        this.resize();
        const gl = this.gl, { program, places } = this.points, head = this.head;
        const size = 2 ** settings.size * 0.45 * settings.extent / Math.cbrt(Math.max(this.count, 1000)) * FOCAL * this.height / 2;
        gl.bindFramebuffer(gl.FRAMEBUFFER, this.target);
        gl.viewport(0, 0, this.width, this.height);
        gl.clearBufferfv(gl.COLOR, 0, [0, 0, 0, 0]);
        gl.useProgram(program);
        gl.bindVertexArray(this.array);
        gl.enable(gl.BLEND);
        gl.blendFunc(gl.ONE, gl.ONE);
        gl.uniformMatrix4fv(places.matrix, false, camera.matrix(this.width / this.height));
        gl.uniform3fv(places.low, head.center.map((value, k) => value - head.half - camera.center[k]));
        gl.uniform1f(places.span, 2 * head.half);
        gl.uniform1f(places.size, size);
        gl.uniform1f(places.largest, this.largest);
        gl.uniform1fv(places.weights, head.weights.map(value => 1000 * value));
        gl.uniform3fv(places.colours, TYPE_COLOURS.flat());
        gl.uniform1i(places.mode, settings.mode);
        gl.uniform1f(places.soft, size / camera.distance > 1.5 ? 1 : 0);
        gl.drawArrays(gl.POINTS, 0, this.count);
        gl.disable(gl.BLEND);
        if (settings.mode != this.mode)
            this.exposure = null;
        this.mode = settings.mode;
        if (!this.exposure || this.draws % 8 == 0)
            this.expose();
        const [dark, bright] = this.exposure ?? [-10, 0];
        gl.bindFramebuffer(gl.FRAMEBUFFER, null);
        gl.useProgram(this.tone.program);
        gl.bindTexture(gl.TEXTURE_2D, this.texture);
        gl.uniform1f(this.tone.places.dark, dark - settings.brightness);
        gl.uniform1f(this.tone.places.bright, bright - settings.brightness);
        gl.uniform1i(this.tone.places.mode, settings.mode);
        gl.uniform3fv(this.tone.places.map, mapColours);
        gl.bindVertexArray(null);
        gl.drawArrays(gl.TRIANGLES, 0, 3);
        ++this.draws;
    }

    // Chooses the dark and bright ends from 23 lines of pixels, excluding the faintest 2 % and the brightest 1/300.
    // Changes slowly to avoid flicker.
    expose() {
        const gl = this.gl, line = new Float32Array(4 * this.width), values = [];
        for (let k = 1; k < 24; ++k) {
            gl.readPixels(0, Math.floor(this.height * k / 24), this.width, 1, gl.RGBA, gl.FLOAT, line);
            for (let i = 0; i < line.length; i += 4) {
                const most = this.mode == 1 ? Math.max(line[i], line[i + 1], line[i + 2]) : line[i];
                if (most > 0)
                    values.push(most);
            }
        }
        if (values.length < 20)
            return;
        values.sort((a, b) => a - b);
        const bright = Math.log(values[Math.floor(0.997 * (values.length - 1))]);
        const dark = Math.max(Math.log(values[Math.floor(0.02 * values.length)]), bright - 9) - 1;
        const part = this.exposure ? 0.25 : 1, [d, b] = this.exposure ?? [0, 0];
        this.exposure = [d + part * (dark - d), b + part * (bright - b)];
    }

    // Waits until drawing is complete.
    finish() {
        this.gl.readPixels(0, 0, 1, 1, this.gl.RGBA, this.gl.UNSIGNED_BYTE, new Uint8Array(4));
    }
}
