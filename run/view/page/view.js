// The page of a view: requests frames, draws them, and sends commands.
import { Camera } from './camera.js';
import { Drawing, MODES, TYPE_COLOURS } from './drawing.js';
import { Labels } from './labels.js';

const TYPE_NAMES = ['gas', 'halo', 'disk', 'bulge', 'stars', 'boundary'];
const MOST_POINTS = 1 << 20, FEWEST_POINTS = 10000, FIRST_POINTS = 100000;
const WANTED_MS = 100; // for the transfer of a frame, and for its drawing

const element = id => document.getElementById(id);
const headers = { 'X-Chamomile-Token': location.hash.slice(1) };
const camera = new Camera(), drawing = new Drawing(element('particles')), labels = new Labels(element('labels'));

// The state of the page, also read by tests.
const state = window.chamomile = {
    camera, drawing, labels, scene: null, head: null, types: 0, frames: 0, extent: 1, points: FIRST_POINTS, home: null, trouble: '', over: false,
};
let dirty = true;

const sleep = ms => new Promise(done => setTimeout(done, ms));
const settings = () => ({
    mode: MODES.indexOf(element('colour').value), size: Number(element('size').value),
    brightness: Number(element('brightness').value), extent: state.extent,
});

function tell(trouble) {
    state.trouble = trouble;
    const head = state.head, lines = [];
    if (state.scene)
        lines.push(state.scene.name);
    if (head) {
        lines.push(`${head.time}   step ${head.step}   ${head.ended ? 'ENDED' : head.paused ? 'PAUSED' : ''}`.trim());
        lines.push(head.progress, head.energy, `${drawing.count.toLocaleString('en')} points shown`, head.note);
    }
    lines.push(drawing.trouble || trouble);
    element('status').textContent = lines.filter(line => line).join('\n');
    element('status').classList.toggle('trouble', Boolean(drawing.trouble || trouble));
}

// ---- Frames

// Positions of a sample of points: 0 to 65535 across the frame's cube.
function somePlaces(bytes, most) {
    const numbers = new Uint16Array(bytes.buffer, bytes.byteOffset, bytes.length / 2), places = [];
    const count = numbers.length / 4, stride = Math.max(1, Math.floor(count / most));
    for (let k = 0; k < count; k += stride)
        places.push([numbers[4 * k], numbers[4 * k + 1], numbers[4 * k + 2]]);
    return places;
}

const middle = values => values.sort((a, b) => a - b)[Math.floor(values.length / 2)];
const inSpace = (place, head) => place.map((value, k) => head.center[k] + head.half * (value / 32767.5 - 1));

// The median position, and the radius around it that contains 90 % of the points.
function spread(bytes, head) {
    const places = somePlaces(bytes, 4000);
    if (!places.length)
        return null;
    const center = [0, 1, 2].map(k => middle(places.map(place => place[k])));
    const radii = places.map(place => Math.hypot(...place.map((value, k) => value - center[k]))).sort((a, b) => a - b);
    return { center: inSpace(center, head), radius: Math.max(radii[Math.floor(0.9 * (radii.length - 1))], 1) * head.half / 32767.5 };
}

// Finds the densest cell of a grid, then refines around it until few points are left.
function densestPoint(bytes, head) {
    let places = somePlaces(bytes, 100000), low = [0, 0, 0], side = 65536;
    while (places.length > 50 && side > 8) {
        const cells = new Map(), cell = side / 8;
        for (const place of places) {
            const key = place.reduce((sum, value, k) => 8 * sum + Math.min(7, Math.floor((value - low[k]) / cell)), 0);
            cells.set(key, (cells.get(key) ?? 0) + 1);
        }
        const [key] = [...cells].reduce((best, one) => one[1] > best[1] ? one : best);
        const corner = [key >> 6, key >> 3 & 7, key & 7].map((number, k) => low[k] + cell * number);
        const newLow = corner.map(value => value - cell / 2);
        side = 2 * cell;
        const within = places.filter(place => place.every((value, k) => value >= newLow[k] && value < newLow[k] + side));
        if (within.length < 20)
            break;
        places = within;
        low = newLow;
    }
    const mean = [0, 1, 2].map(k => places.reduce((sum, place) => sum + place[k], 0) / Math.max(1, places.length));
    return inSpace(mean, head);
}

function goHome() {
    const { box } = state.scene;
    const found = spread(drawing.bytes, state.head);
    if (!box && !found)
        return;
    camera.center = box ? [box / 2, box / 2, box / 2] : found.center;
    camera.distance = (box ? 2.3 * box : 3 * found.radius) * Math.max(1, innerHeight / innerWidth);
    camera.azimuth = 0.6;
    camera.elevation = 0.5;
    dirty = true;
}

function centerOnDensest() {
    if (!drawing.count)
        return;
    camera.center = densestPoint(drawing.bytes, state.head);
    dirty = true;
}

// The cube to request. It changes only when the camera leaves it, so most frames need no second request.
let cube = null;
function cubeWish() {
    if (!state.head)
        return '';
    const away = cube ? Math.max(...camera.center.map((value, k) => Math.abs(value - cube.center[k]))) : Infinity;
    if (!cube || away > camera.distance || cube.half > 8 * camera.distance || cube.half < 2 * camera.distance)
        cube = { center: [...camera.center], half: 4 * camera.distance };
    return `&box=${cube.center.join(',')},${cube.half}`;
}

function pointsWish() {
    return Number(element('points').value) || Math.round(state.points);
}

const wishNow = () => ({ rest: `types=${state.types}${cubeWish()}`, points: pointsWish() });

// The pending request. A paused run sends no new frames, so a changed wish must replace it.
let asking = null;
function askAnew() {
    if (asking && isNews(wishNow(), asking.wish))
        asking.abort.abort();
}

// Adapts the number of points to the time for transfer and drawing.
function adapt(transfer, drawn) {
    const factor = WANTED_MS / Math.max(transfer, drawn, 1);
    state.points = Math.min(MOST_POINTS, Math.max(FEWEST_POINTS, state.points * Math.min(1.5, Math.max(0.6, factor))));
}

// A small change in the number of points is not worth a new frame of the same time.
const isNews = (wish, last) => !last || wish.rest != last.rest || wish.points > 1.2 * last.points;

function takeFrame(buffer) {
    const length = new DataView(buffer).getUint32(0, true);
    const isFirst = !state.head;
    state.head = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
    drawing.setPoints(new Uint8Array(buffer, 4 + length), state.head);
    ++state.frames;
    if (isFirst)
        goHome();
    const found = spread(drawing.bytes, state.head);
    state.extent = found ? found.radius : 1;
    if (element('follow').checked)
        centerOnDensest();
    const head = state.head;
    element('pause').textContent = head.paused ? 'go on' : 'pause';
    if (document.activeElement != element('file'))
        element('file').value = head.file;
    if (document.activeElement != element('pace'))
        element('pace').value = String(head.pace);
    tell('');
    const begun = performance.now();
    render();
    drawing.finish();
    return performance.now() - begun;
}

async function askForFrames() {
    let pause = 250, last = null;
    for (;;) {
        if (document.hidden) {
            await new Promise(done => document.addEventListener('visibilitychange', done, { once: true }));
            continue;
        }
        if (drawing.trouble) {
            tell('');
            await sleep(500);
            continue;
        }
        try {
            if (!state.scene)
                await begin();
            const wish = wishNow();
            const after = state.head && !isNews(wish, last) ? state.head.sequence : 0;
            last = wish;
            asking = { wish, abort: new AbortController() };
            const answer = await fetch(`/frame?after=${after}&points=${wish.points}&${wish.rest}`, { headers, signal: asking.abort.signal });
            asking = null;
            pause = 250;
            if (answer.status == 204)
                continue;
            if (answer.status == 410)
                return end('The run has ended.');
            if (answer.status == 403)
                return end('This address opens another view, or an earlier one: take the line that the program prints.');
            if (!answer.ok)
                throw new Error(await answer.text());
            const begun = performance.now(), buffer = await answer.arrayBuffer();
            const transfer = performance.now() - begun;
            adapt(transfer, takeFrame(buffer));
            if (state.head.ended)
                return end('The run has ended.');
            await new Promise(requestAnimationFrame);
        } catch (error) {
            asking = null;
            if (error.name == 'AbortError')
                continue; // replaced by another wish
            tell(`The run has ended or cannot be reached (${error.message}); trying again.`);
            await sleep(pause);
            pause = Math.min(8000, 2 * pause);
        }
    }
}

function end(line) {
    state.over = true;
    for (const id of ['pause', 'step', 'pace', 'checkpoint', 'stop', 'file'])
        element(id).disabled = true;
    tell(line);
}

async function begin() {
    const answer = await fetch('/scene', { headers });
    if (answer.status == 403) {
        state.scene = null;
        throw new Error('the address lacks its token, or is that of another view');
    }
    const scene = await answer.json();
    if (!scene.counts)
        throw new Error('the run has not begun');
    state.scene = scene;
    document.title = `${scene.name} - Chamomile`;
    state.types = scene.types.reduce((bits, type) => bits | 1 << type, 0);
    element('types').replaceChildren(...scene.counts.map((count, type) => count ? typeBox(type) : '').filter(box => box));
    const plays = scene.files > 0;
    element('files').hidden = !plays;
    element('file').max = scene.files - 1;
    element('checkpoint').hidden = !scene.canCheckpoint;
    element('stop').hidden = !scene.canStop;
    element('pace-unit').textContent = plays ? 'files/s' : 'steps/s';
}

function typeBox(type) {
    const box = document.createElement('label'), input = document.createElement('input'), name = document.createElement('span');
    input.type = 'checkbox';
    input.id = `type${type}`;
    input.checked = state.types >> type & 1;
    input.onchange = () => { state.types ^= 1 << type; drawing.exposure = null; };
    name.textContent = TYPE_NAMES[type];
    name.style.color = `rgb(${TYPE_COLOURS[type].map(value => Math.round(255 * value))})`;
    box.append(input, name);
    return box;
}

// ---- Drawing

function render() {
    dirty = false;
    drawing.draw(camera, settings());
    if (state.scene && state.head)
        labels.draw(camera, state.scene, state.head, element('colour').value, element('bar').offsetHeight);
}

let lastTick = 0;
function tick(now) {
    if (element('orbit').checked && drawing.count) {
        camera.turn(0.3 * Math.min(0.1, (now - lastTick) / 1000), 0);
        dirty = true;
    }
    lastTick = now;
    askAnew();
    if (dirty && drawing.count)
        render();
    requestAnimationFrame(tick);
}

// Saves both canvases in one file. WebGL content is lost after display, so it is drawn again right before.
function savePicture() {
    const both = document.createElement('canvas'), pen = both.getContext('2d');
    render();
    both.width = drawing.width;
    both.height = drawing.height;
    pen.drawImage(drawing.canvas, 0, 0);
    pen.drawImage(labels.canvas, 0, 0, both.width, both.height);
    both.toBlob(blob => {
        const link = document.createElement('a');
        link.href = URL.createObjectURL(blob);
        link.download = `chamomile_${String(state.head ? state.head.step : 0).padStart(8, '0')}.png`;
        link.click();
        state.saved = blob.size;
        setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    });
}

// ---- Commands

async function send(command, number) {
    try {
        const answer = await fetch(`/do/${command}${number === undefined ? '' : `?number=${number}`}`, { method: 'POST', headers });
        if (!answer.ok)
            tell(await answer.text());
    } catch (error) {
        tell(`The run cannot be reached (${error.message}).`);
    }
}

element('pause').onclick = () => send(state.head && state.head.paused ? 'go' : 'pause');
element('step').onclick = () => send('step');
element('checkpoint').onclick = () => send('checkpoint');
element('pace').onchange = event => send('pace', Number(event.target.value));
element('file').oninput = event => send('show', Number(event.target.value));

// The first click asks for confirmation. A second click within four seconds stops the run.
let sure = 0;
element('stop').onclick = () => {
    const button = element('stop');
    if (performance.now() < sure) {
        sure = 0;
        send('stop');
    } else {
        sure = performance.now() + 4000;
        setTimeout(() => { button.textContent = 'stop'; button.classList.remove('sure'); }, 4000);
        button.textContent = 'really stop?';
        button.classList.add('sure');
    }
};
for (const id of ['colour', 'size', 'brightness'])
    element(id).oninput = () => { dirty = true; };
element('center').onclick = centerOnDensest;
element('picture').onclick = savePicture;
element('keys').onclick = () => { element('help').hidden = !element('help').hidden; };

// ---- Mouse, touch and keys

const canvas = element('particles'), held = new Map();
canvas.onpointerdown = event => {
    canvas.setPointerCapture(event.pointerId);
    held.set(event.pointerId, event);
};
canvas.onpointerup = canvas.onpointercancel = event => held.delete(event.pointerId);
canvas.onpointermove = event => {
    const before = held.get(event.pointerId);
    if (!before)
        return;
    const right = event.clientX - before.clientX, down = event.clientY - before.clientY;
    held.set(event.pointerId, event);
    if (held.size == 2) {
        const other = [...held.entries()].find(([id]) => id != event.pointerId)[1];
        const distance = one => Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY);
        camera.zoom(distance(before) / Math.max(1, distance(event)));
        camera.move(right / 2, down / 2, canvas.clientHeight); // the center between the fingers
    } else if (event.shiftKey || event.buttons & 6) {
        camera.move(right, down, canvas.clientHeight);
    } else {
        camera.turn(-0.006 * right, 0.006 * down);
    }
    dirty = true;
};
canvas.oncontextmenu = event => event.preventDefault();
canvas.addEventListener('wheel', event => {
    event.preventDefault();
    camera.zoom(Math.exp(0.0012 * event.deltaY));
    dirty = true;
}, { passive: false });

const toggle = id => { element(id).checked = !element(id).checked; };
const colour = mode => { element('colour').value = mode; };
const KEYS = {
    ' ': () => element('pause').click(), s: () => element('step').click(), c: centerOnDensest, f: () => toggle('follow'), o: () => toggle('orbit'),
    r: goHome, d: () => colour('density'), m: () => colour('component'), v: () => colour('speed'), p: savePicture,
    l: () => { labels.shown = !labels.shown; }, '?': () => element('keys').click(), '+': () => camera.zoom(0.8), '=': () => camera.zoom(0.8),
    '-': () => camera.zoom(1.25), ArrowLeft: () => camera.turn(0.1, 0), ArrowRight: () => camera.turn(-0.1, 0), ArrowUp: () => camera.turn(0, -0.1),
    ArrowDown: () => camera.turn(0, 0.1),
};
addEventListener('keydown', event => {
    const isForControl = ['SELECT', 'INPUT'].includes(document.activeElement.tagName) || document.activeElement.tagName == 'BUTTON' && event.key == ' ';
    if (isForControl || event.ctrlKey || event.altKey || event.metaKey || !KEYS[event.key])
        return;
    event.preventDefault();
    KEYS[event.key]();
    dirty = true;
});
addEventListener('resize', () => { dirty = true; });

if (drawing.gl)
    askForFrames();
else
    tell('');
requestAnimationFrame(tick);
