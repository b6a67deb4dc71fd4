import { createContext, Script } from 'node:vm';
import { startTestApi, type TestApi } from '../support/api';

let api: TestApi;
beforeAll(async () => (api = await startTestApi()));
afterAll(() => api.stop());

const API = 'https://api.example.test';

interface Frame {
  src: string;
  style: Record<string, string>;
  contentWindow: object;
}
type Listener = (event: { origin: string; source: unknown; data: unknown }) => void;

/** As much of a browser as the loader touches. */
async function runLoader(
  dataset: Record<string, string>,
): Promise<{ frames: Frame[]; listeners: Listener[] }> {
  const frames: Frame[] = [];
  const listeners: Listener[] = [];
  const after = (frame: Frame) => frames.push(frame);
  const document = {
    currentScript: { dataset, src: `${API}/embed/widget.js`, after },
    createElement: () => ({ style: {}, contentWindow: {} }),
  };
  const addEventListener = (_type: string, listener: Listener) => listeners.push(listener);
  const { text } = await api.http.get('/embed/widget.js');
  new Script(text).runInContext(createContext({ document, addEventListener, URL }));
  return { frames, listeners };
}

describe('/embed/widget.js', () => {
  it('is small, public to every origin, and asked for again each time', async () => {
    const { status, headers, text } = await api.http.get('/embed/widget.js');
    expect(status).toBe(200);
    expect(Buffer.byteLength(text)).toBeLessThan(4096);
    expect(headers).toMatchObject({
      'content-type': 'application/javascript; charset=utf-8',
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
      'cache-control': 'no-cache',
    });
    expect((await api.http.get('/embed/widget.js').set('if-none-match', headers.etag!)).status).toBe(304);
  });

  it('puts the page in a frame where it stands, with the token and the settings of its tag', async () => {
    const { frames } = await runLoader({ token: 'svc_widget_x', lang: 'de', continent: 'asia', other: 'x' });
    expect(frames).toHaveLength(1);
    expect(frames[0]).toMatchObject({ title: 'Tours', loading: 'lazy', referrerPolicy: 'strict-origin' });
    expect(frames[0]!.src).toBe(`${API}/embed/tours?token=svc_widget_x&lang=de&continent=asia`);
    expect((await runLoader({})).frames).toHaveLength(0);
  });

  it('grows the frame at the word of that frame alone', async () => {
    const { frames, listeners } = await runLoader({ token: 'svc_widget_x' });
    const [frame] = frames as [Frame];
    const say = (
      height: unknown,
      origin = API,
      source: unknown = frame.contentWindow,
      type = 'svc:resize',
    ) => {
      listeners[0]!({ origin, source, data: { type, v: 1, height } });
      return frame.style.height;
    };
    expect(say(1234)).toBe('1234px');
    expect(say(1, 'https://evil.example')).toBe('1234px');
    expect(say(1, API, {})).toBe('1234px');
    expect(say(1, API, frame.contentWindow, 'other')).toBe('1234px');
    for (const bad of ['9', 1.5, -1, 0, 20_001, NaN, undefined]) expect(say(bad)).toBe('1234px');
  });
});
