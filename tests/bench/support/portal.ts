import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { freePort } from '../../../e2e/support/portal.ts';
import { FRUGAL, PORTAL } from '../../../scripts/toolchain.mjs';
import { startProgram, type Program } from './program.ts';

export interface BenchPortal extends Program {
  /** The address of this process: scheme, host and port. */
  address: string;
}

interface Wanted {
  folder: string;
  /** The public origin, if there is a proxy in front. */
  origin?: string;
  env?: Record<string, string>;
  nodeArgs?: readonly string[];
}

/** The built portal, as it runs in production, with the data in `folder`. */
export async function startPortal({ folder, origin, env = {}, nodeArgs = [] }: Wanted): Promise<BenchPortal> {
  const port = await freePort();
  const program = await startProgram([...nodeArgs, ...PORTAL], {
    env: {
      ...FRUGAL,
      ...portalEnvironment(folder),
      PORT: String(port),
      LOG_LEVEL: 'error',
      ...(origin !== undefined && { PUBLIC_ORIGIN: origin, TRUSTED_PROXIES: '127.0.0.1' }),
      ...env,
    },
    says: 'Stop it with Ctrl-C',
  });
  return { ...program, address: `http://127.0.0.1:${port}` };
}

export const portalEnvironment = (folder: string): Record<string, string> => ({
  NODE_ENV: 'production',
  DEMO: '0',
  DATA_DIR: path.join(folder, 'data'),
  KEY_FILE: path.join(folder, 'key'),
});

/** A folder on the measured disk, removed when the part has ended, however it ended. */
export function scratchFolder(): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'portal-bench-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
