declare module 'wawoff2/decompress.js' {
  /** Unpacks a font of the format WOFF2. */
  export default function decompress(bytes: Uint8Array): Promise<Uint8Array>;
}
