import { deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { checkedDrawing } from '#features/signing/signing/drawings.server.ts';
import { refusal } from '#platform/runtime/errors.server.ts';

const user = { person: 'signer', firm: 'firm' };
const urlOf = (bytes: Buffer): string => `data:image/png;base64,${bytes.toString('base64')}`;
const line = Buffer.from('<svg width="600" height="200"><path d="M9 9L500 150" stroke="black"/></svg>');
const nothing = Buffer.from('<svg width="600" height="200"></svg>');
const drawn = await sharp(line)
  .png()
  .withExif({ IFD0: { Copyright: 'CANARY' } })
  .toBuffer();

const codeOf = (drawing: string) =>
  checkedDrawing(drawing, user).then(
    () => 'OK',
    (error: unknown) => refusal(error)?.code,
  );

/** A PNG whose header claims a size that its few bytes do not have. */
function claiming(width: number, height: number): Buffer {
  const bytes = Buffer.from(drawn);
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return bytes;
}

test('a drawn signature is drawn again, without what else its file contains', async () => {
  const checked = Buffer.from(await checkedDrawing(urlOf(drawn), user), 'base64');
  expect(drawn.includes('CANARY')).toBe(true);
  expect(checked.includes('CANARY')).toBe(false);
  expect(await sharp(checked).metadata()).toMatchObject({ format: 'png', width: 600, height: 200 });
  expect(await checkedDrawing('', user)).toBe('');
});

test.each<[string, () => Promise<string> | string]>([
  ['of another kind', async () => urlOf(await sharp(drawn).jpeg().toBuffer())],
  ['that is an SVG', () => urlOf(line)],
  ['named as another kind', () => urlOf(drawn).replace('image/png', 'image/svg+xml')],
  ['that is cut off', () => urlOf(drawn.subarray(0, drawn.length / 2))],
  ['that claims to be enormous', () => urlOf(claiming(60_000, 60_000))],
  [
    'that is too wide',
    async () => urlOf(await sharp(drawn).resize(2001, 10, { fit: 'fill' }).png().toBuffer()),
  ],
  ['that only begins like one', () => urlOf(Buffer.concat([drawn.subarray(0, 8), deflateSync('x')]))],
  ['without a line', async () => urlOf(await sharp(nothing).png().toBuffer())],
  ['that is too long', () => urlOf(Buffer.concat([drawn, Buffer.alloc(100_000)]))],
])('a drawing %s is refused', async (_, make) => {
  expect(await codeOf(await make())).toBe('INVALID');
});
