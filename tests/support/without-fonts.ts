import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';

interface Drawn {
  text: string;
  letters: string[];
  boxes: number[];
  images: number[][];
}

/** Draws names on a machine that has no fonts at all. */
export async function drawnWithoutFonts(names: readonly string[]): Promise<Drawn[]> {
  const folder = mkdtempSync(path.join(tmpdir(), 'portal-no-fonts-'));
  const settings = path.join(folder, 'fonts.conf');
  writeFileSync(
    settings,
    `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig><cachedir>${folder}</cachedir></fontconfig>`,
  );
  const child = spawn(process.execPath, ['tests/support/draw-names.ts'], {
    env: { ...process.env, FONTCONFIG_FILE: settings },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.end(JSON.stringify(names));
  const result = await text(child.stdout);
  rmSync(folder, { recursive: true });
  return JSON.parse(result) as Drawn[];
}
