import { lightest, LONG_EDGE, toHighContrastGrey } from '../rules.ts';

const THUMBNAIL = 224;

/** Settings for the conversion of a photo to a page. */
export interface Conversion {
  /** Quarter turns to the right. */
  turns: number;
  isGrey: boolean;
}

/**
 * Creates a thumbnail of a photo, as a data: URL (the content security policy allows no blob:). Rejects files
 * that the browser cannot decode.
 */
export async function thumbnailOf(photo: Blob): Promise<string> {
  const canvas = await drawn(photo, THUMBNAIL, { turns: 0, isGrey: false });
  const address = canvas.toDataURL('image/jpeg', 0.6);
  emptied(canvas);
  return address;
}

/**
 * Converts a photo to a page: upright, small, re-encoded as JPEG, which removes its location and device
 * (threat-model.md T60).
 */
export async function pageOf(photo: Blob, conversion: Conversion): Promise<Uint8Array<ArrayBuffer>> {
  const canvas = await drawn(photo, LONG_EDGE, conversion);
  const page = await lightest(
    (quality) => jpegOf(canvas, quality),
    ({ size }) => size,
  );
  emptied(canvas);
  return new Uint8Array(await page.arrayBuffer());
}

async function drawn(
  photo: Blob,
  longest: number,
  { turns, isGrey }: Conversion,
): Promise<HTMLCanvasElement> {
  const bitmap = await createImageBitmap(photo, { imageOrientation: 'from-image' });
  const scale = Math.min(1, longest / Math.max(bitmap.width, bitmap.height));
  const [width, height] = [
    Math.max(1, Math.round(bitmap.width * scale)),
    Math.max(1, Math.round(bitmap.height * scale)),
  ];
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = turns % 2 === 0 ? [width, height] : [height, width];
  const brush = canvas.getContext('2d', { alpha: false });
  if (!brush) throw new Error('no memory to draw in');
  brush.fillStyle = '#fff';
  brush.fillRect(0, 0, canvas.width, canvas.height);
  brush.imageSmoothingQuality = 'high';
  brush.translate(canvas.width / 2, canvas.height / 2);
  brush.rotate((turns * Math.PI) / 2);
  brush.drawImage(bitmap, -width / 2, -height / 2, width, height);
  bitmap.close();
  if (isGrey) {
    const image = brush.getImageData(0, 0, canvas.width, canvas.height);
    toHighContrastGrey(image.data);
    brush.putImageData(image, 0, 0);
  }
  return canvas;
}

const jpegOf = (canvas: HTMLCanvasElement, quality: number): Promise<Blob> =>
  new Promise((resolve, reject) =>
    canvas.toBlob(
      (blob) => (blob ? resolve(blob) : reject(new Error('no memory for the page'))),
      'image/jpeg',
      quality / 100,
    ),
  );

/** Safari keeps the pixels of a canvas in memory for long, unless its size is zero. */
function emptied(canvas: HTMLCanvasElement): void {
  canvas.width = canvas.height = 0;
}
