// npm run corpus:seal -- FOLDER [--most 300] [--list]: prepares, stamps and seals the PDF files of a folder, and reports what
// poppler shows differently without the portal saying so (tests/corpora/seal-pdfs.ts).
// npm run corpus:draw -- FOLDER [--pictures FOLDER]: draws their first pages as the viewer does, and lists those that
// poppler draws differently (tests/corpora/draw-pdfs.ts).
// npm run corpus:fiscal -- FOLDER [--list]: reads its XML files as the viewer does (tests/corpora/read-fiscal.ts).
import path from 'node:path';
import { install, node, root, run } from './toolchain.mjs';

const PROGRAMS = { seal: 'seal-pdfs.ts', draw: 'draw-pdfs.ts', fiscal: 'read-fiscal.ts' };

await install();
const [what, ...options] = process.argv.slice(2);
process.exit(
  await run(node(), [path.join(root, 'tests', 'corpora', PROGRAMS[what]), ...options], {
    env: { LOG_LEVEL: 'error' },
  }),
);
