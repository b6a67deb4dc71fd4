import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';

const ROOT = path.resolve(__dirname, '../..');
const READY_MS = 60_000;
const STOP_MS = 20_000;
const all: Start[] = [];

/** Runs `npm start` in its own process group, like a terminal. */
export class Start {
  private readonly npm: ChildProcess;
  private readonly ended: Promise<string>;
  private output = '';
  private isOver = false;

  constructor(env: Record<string, string>) {
    this.npm = spawn('npm', ['start'], {
      cwd: ROOT,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    for (const stream of [this.npm.stdout, this.npm.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => (this.output += text));
    }
    this.ended = new Promise((resolve) => {
      this.npm.once('exit', (code, signal) => {
        this.isOver = true;
        resolve(signal ?? `exit ${code}`);
      });
    });
    all.push(this);
  }

  /** Waits for the third curl line, which is printed when everything is ready. */
  async ready(): Promise<void> {
    for (const end = Date.now() + READY_MS; this.curlLines().length < 3; await pause(100)) {
      if (this.isOver) throw new Error(`npm start ended by itself: ${await this.ended}`);
      if (Date.now() > end)
        throw new Error(`npm start printed ${this.curlLines().length} curl lines in a minute`);
    }
  }

  /** Joins lines that a backslash continues, as a shell does. */
  curlLines(): string[] {
    // The last line may not have arrived yet.
    const complete = this.output.slice(0, this.output.lastIndexOf('\n') + 1);
    const text = stripVTControlCharacters(complete).replaceAll(/\\\n\s*/g, ' ');
    return text
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line.startsWith('curl '));
  }

  said(text: RegExp): boolean {
    return text.test(this.output);
  }

  /** Returns the pid of the process in this group whose command line contains the file. */
  pidOf(file: string): number {
    const list = execFileSync('ps', ['-e', '-o', 'pid=,pgid=,args='], { encoding: 'utf8' }).split('\n');
    const line = list.find((one) => one.split(/\s+/).includes(String(this.npm.pid)) && one.includes(file));
    return Number(line?.trim().split(/\s+/)[0]);
  }

  /** Sends SIGINT to the whole group, like a terminal. */
  async ctrlC(): Promise<void> {
    this.signal('SIGINT');
    const how = await Promise.race([this.ended, pause(STOP_MS, 'nothing', { ref: false })]);
    if (!['exit 0', 'exit 130', 'SIGINT'].includes(how)) throw new Error(`Ctrl-C ended in ${how}`);
    for (const end = Date.now() + 5000; this.groupLives(); await pause(100)) {
      if (Date.now() > end) throw new Error('npm is gone, and a process that it started is not');
    }
  }

  async kill(): Promise<void> {
    this.signal('SIGKILL');
    await this.ended;
  }

  static async killAll(): Promise<void> {
    for (const start of all) if (start.groupLives()) start.signal('SIGKILL');
    await Promise.all(all.map((start) => start.ended));
  }

  static lastOutput(): string {
    return all.at(-1)?.output ?? '';
  }

  private signal(name: NodeJS.Signals): void {
    process.kill(-this.npm.pid!, name);
  }

  private groupLives(): boolean {
    try {
      process.kill(-this.npm.pid!, 0);
      return true;
    } catch {
      return false;
    }
  }
}
