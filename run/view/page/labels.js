// Drawings over the particles: scale bar, color bar, periodic box.
import { FOCAL } from './camera.js';
import { mapColour } from './drawing.js';

// The largest of 1, 2 and 5 times a power of ten not above the value.
export function roundedDown(value) {
    const power = 10 ** Math.floor(Math.log10(value)), part = value / power;
    return power * (part >= 5 ? 5 : part >= 2 ? 2 : 1);
}

const numberText = value => String(Number(value.toPrecision(3)));

export class Labels {
    shown = true;

    constructor(canvas) {
        this.canvas = canvas;
        this.pen = canvas.getContext('2d');
    }

    draw(camera, scene, head, mode, bottom) {
        const ratio = Math.min(window.devicePixelRatio, 2), pen = this.pen;
        const width = this.canvas.clientWidth, height = this.canvas.clientHeight;
        this.canvas.width = Math.round(width * ratio);
        this.canvas.height = Math.round(height * ratio);
        pen.scale(ratio, ratio);
        if (!this.shown)
            return;
        if (scene.box > 0)
            this.drawBox(camera, scene.box, width, height);
        pen.font = '13px system-ui, sans-serif';
        pen.fillStyle = pen.strokeStyle = '#eee';
        this.drawScale(camera, scene, height, height - bottom - 14);
        if (mode == 'speed')
            this.drawColours(`speed, ${scene.speedName}`, '0', numberText(head.topSpeed), width, height - bottom - 14);
        else if (mode == 'density')
            this.drawColours('surface density', 'low', 'high', width, height - bottom - 14);
    }

    drawScale(camera, scene, height, bottom) {
        const pixels = FOCAL * height / 2 / camera.distance / scene.lengthUnit; // per displayed unit
        const length = roundedDown(160 / pixels);
        this.scale = { length, pixels: length * pixels };
        this.pen.fillRect(16, bottom, length * pixels, 2);
        this.pen.textAlign = 'left';
        this.pen.fillText(`${numberText(length)} ${scene.lengthName}`, 16, bottom - 6);
    }

    drawColours(name, low, high, width, bottom) {
        const pen = this.pen, left = width - 176;
        for (let k = 0; k < 160; ++k) {
            pen.fillStyle = mapColour((name == 'surface density' ? 0 : 0.15) + (name == 'surface density' ? 1 : 0.85) * k / 159);
            pen.fillRect(left + k, bottom - 6, 1, 8);
        }
        pen.fillStyle = '#eee';
        pen.textAlign = 'left';
        pen.fillText(low, left, bottom - 12);
        pen.textAlign = 'right';
        pen.fillText(high, left + 160, bottom - 12);
        pen.fillText(name, left + 160, bottom - 29);
    }

    // The edges of a box with a corner at the origin. The three farthest faces are filled, with fainter edges.
    drawBox(camera, side, width, height) {
        const pen = this.pen, corner = k => [k & 1, k >> 1 & 1, k >> 2].map(bit => bit * side);
        const seen = [...Array(8).keys()].map(k => camera.project(corner(k), width, height));
        const farthest = seen.reduce((most, point, k) => point[2] > seen[most][2] ? k : most, 0);
        const isBefore = k => seen[k][2] >= 0.02 * camera.distance;
        pen.fillStyle = '#8af2';
        for (const [a, b] of [[1, 2], [2, 4], [4, 1]]) {
            const face = [farthest, farthest ^ a, farthest ^ a ^ b, farthest ^ b];
            if (!face.every(isBefore))
                continue;
            pen.beginPath();
            face.forEach(k => pen.lineTo(seen[k][0], seen[k][1]));
            pen.fill();
        }
        pen.lineWidth = 1;
        for (let from = 0; from < 8; ++from)
            for (const bit of [1, 2, 4]) {
                const to = from | bit;
                if (to == from || !isBefore(from) || !isBefore(to))
                    continue;
                pen.strokeStyle = from == farthest || to == farthest ? '#667' : '#aab';
                pen.beginPath();
                pen.moveTo(seen[from][0], seen[from][1]);
                pen.lineTo(seen[to][0], seen[to][1]);
                pen.stroke();
            }
    }
}
