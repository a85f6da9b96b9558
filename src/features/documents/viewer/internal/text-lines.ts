import type { Box, TextRun } from '../viewer.ts';

/*
 * Characters of a page as lines of text. Each line is followed in the direction in which it is read: its box is kept
 * as if the page were turned until the line is upright.
 */

/** By how many quarters the line of a character is turned clockwise as the page is shown. */
export type Quarters = 0 | 1 | 2 | 3;

export interface Character extends Box {
  text: string;
  quarters: Quarters;
  /** Whether the line leans, such as a watermark across the page; `quarters` is the nearest direction. */
  isSlanted: boolean;
}

interface Line {
  text: string;
  quarters: Quarters;
  isSlanted: boolean;
  /** The box of the line, as if it were upright. */
  upright: Box;
  last: Box;
}

/** Lines of text, to which characters are added in the order of the file. */
export function textLines() {
  const lines: Line[] = [];
  let line: Line | undefined;
  let space = '';
  return {
    get count(): number {
      return lines.length;
    },
    add(character: Character): void {
      const upright = turned(character, (4 - character.quarters) as Quarters);
      if (line && continues(line, character, upright)) extend(line, space + character.text, upright);
      else lines.push((line = { ...character, upright, last: upright }));
      line.last = upright;
      space = '';
    },
    addSpace: (): void => void (space = ' '),
    endLine: (): void => void (line = undefined),
    runs: (): TextRun[] => lines.map(toRun),
  };
}

function toRun({ text, quarters, upright }: Line): TextRun {
  const box = turned(upright, quarters);
  return quarters === 0 ? { text, ...box } : { text, ...box, quarters };
}

/** A box of a page turned clockwise around its upper left corner. */
export function turned({ x, y, width, height }: Box, quarters: number): Box {
  switch (quarters % 4) {
    case 1:
      return { x: -(y + height), y: x, width: height, height: width };
    case 2:
      return { x: -(x + width), y: -(y + height), width, height };
    case 3:
      return { x: y, y: -(x + width), width: height, height: width };
    default:
      return { x, y, width, height };
  }
}

function continues(line: Line, { quarters, isSlanted }: Character, upright: Box): boolean {
  if (line.quarters !== quarters || line.isSlanted !== isSlanted) return false;
  return isSlanted ? isNear(line.last, upright) : isOnLine(line.upright, upright);
}

/**
 * Tells whether a character is on the same line as those before it, on either side of them, no further away
 * than the next word would be.
 */
function isOnLine(line: Box, box: Box): boolean {
  const em = Math.max(line.height, 1);
  const [after, before] = [box.x - (line.x + line.width), line.x - (box.x + box.width)];
  return (
    Math.abs(box.y + box.height / 2 - (line.y + line.height / 2)) < em * 0.4 &&
    [after, before].some((gap) => gap < em * 0.9 && gap > -em * 0.6)
  );
}

/** Tells whether a character follows another one on a line that leans. */
function isNear(last: Box, box: Box): boolean {
  const [x, y] = [last, box].map((each) => [each.x + each.width / 2, each.y + each.height / 2]) as [
    [number, number],
    [number, number],
  ];
  const size = Math.max(last.width, last.height, box.width, box.height, 1);
  return Math.hypot(x[0] - y[0], x[1] - y[1]) < size * 1.6;
}

function extend(line: Line, text: string, box: Box): void {
  line.text += text;
  line.upright = around(line.upright, box);
}

function around(a: Box, b: Box): Box {
  const [x, y] = [Math.min(a.x, b.x), Math.min(a.y, b.y)];
  const [right, bottom] = [Math.max(a.x + a.width, b.x + b.width), Math.max(a.y + a.height, b.y + b.height)];
  return { x, y, width: right - x, height: bottom - y };
}

/**
 * Moves the text in these areas, fields and notes, which files list after everything else, to the text beside or above
 * them, so that a screen reader reads the value of a field after its label.
 */
export function inReadingOrder(runs: readonly TextRun[], areas: readonly Box[]): TextRun[] {
  const inside = areas.map((): TextRun[] => []);
  const others: TextRun[] = [];
  for (const run of runs) (inside[areas.findIndex((area) => contains(area, run))] ?? others).push(run);
  const after = new Map<number, TextRun[]>();
  for (const [at, area] of areas.entries()) {
    const anchor = anchorOf(others, area);
    after.set(anchor, [...(after.get(anchor) ?? []), ...(inside[at] ?? [])]);
  }
  return [...(after.get(-1) ?? []), ...others.flatMap((run, at) => [run, ...(after.get(at) ?? [])])];
}

const contains = (area: Box, { x, y, width, height }: Box): boolean =>
  x + width / 2 >= area.x &&
  x + width / 2 <= area.x + area.width &&
  y + height / 2 >= area.y - 2 &&
  y + height / 2 <= area.y + area.height + 2;

/** The index of the text after which an area is read: the nearest one on its left, else the nearest one above it. */
function anchorOf(runs: readonly TextRun[], area: Box): number {
  let [anchor, nearest] = [-1, Infinity];
  for (const [at, run] of runs.entries()) {
    const middle = run.y + run.height / 2;
    const isBeside = run.x < area.x && middle >= area.y && middle <= area.y + area.height;
    const above = area.y - middle;
    const distance = isBeside ? (area.x - run.x) / 1e6 : above >= 0 ? 1 + above : Infinity;
    if (distance <= nearest && distance < Infinity) [anchor, nearest] = [at, distance];
  }
  return anchor;
}
