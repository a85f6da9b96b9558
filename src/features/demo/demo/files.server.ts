import { createReadStream } from 'node:fs';
import path from 'node:path';
import { ROOT } from '#platform/runtime/root.server.ts';

const folder = path.join(ROOT, 'src/features/demo/demo/files');

/** Opens a file of the stories; nothing in it belongs to anybody. */
export const demoFile = (name: string) => createReadStream(path.join(folder, name));
