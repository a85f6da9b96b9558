import { expect, test } from 'vitest';
import { startReadingThread } from '#features/brazil/fiscal-documents/reading-thread.server.ts';
import { readFiscalXml } from '#features/documents/fiscal-xml/read.server.ts';
import { cancellationXml, noteXml } from '../../support/fiscal.ts';

const files = [noteXml({ number: 1 }), cancellationXml({ number: 1 }), '<broken', ''].map((text) =>
  Buffer.from(text),
);
const contents = files.map((file) => readFiscalXml(file, { isBrief: true }));

test('a thread finds in files what is found without it, in their order', async () => {
  const thread = startReadingThread();
  expect(await thread.read(files)).toEqual(contents);
  expect(await thread.read(files.toReversed())).toEqual(contents.toReversed());
  await thread.end();
});

test('files of a thread that dies are left to be read without it, and the next ones get another thread', async () => {
  const thread = startReadingThread();
  const reading = thread.read(files);
  await thread.end();
  expect(await reading).toBeUndefined();
  expect(await thread.read(files)).toEqual(contents);
  await thread.end();
});
