import type { Readable, Writable } from 'node:stream';
import type { Screen } from './screen';

/** All that a command sees of the process it runs in, so that a test can run one in its own. */
export interface Io {
  stdin: Readable;
  stdout: Writable;
  stderr: Writable;
  env: Record<string, string | undefined>;
  /** A person sits there: questions may be asked. */
  isTTY: boolean;
  /** Left out, stdout is a pipe. */
  screen?: Screen;
  /** A change is committed, or a secret goes to stdout: should that be lost, the person is to hear of it. */
  onNews?: (what: 'change' | 'secret') => void;
  /** Ctrl-C outside a prompt. */
  interrupted?: AbortSignal;
  /** Where the installation lies: what DATA_DIR is relative to while it is not set. */
  root: string;
}
