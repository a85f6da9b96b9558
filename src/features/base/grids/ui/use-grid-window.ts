import { useEffect, useLayoutEffect, useRef, useState, type RefObject } from 'react';
import { MARGIN, ROW_HEIGHT, scrolledTo, windowOf } from '../rules.ts';
import type { PageTable } from './page-table.ts';

export interface GridWindow {
  scroller: RefObject<HTMLDivElement | null>;
  /** The rows to draw, from `first` to before `last`, and the heights of those above and below (CSS px). */
  first: number;
  last: number;
  above: number;
  below: number;
  /** Rows that fit on the screen. */
  page: number;
  onScroll: () => void;
  /** Scrolls until the row is visible. */
  reveal: (row: number) => void;
}

interface Options {
  count: number;
  isLive: boolean;
  query: unknown;
  /** The page's table, which may have been scrolled. */
  from: RefObject<PageTable | undefined>;
}

/** Which of `count` rows are drawn; begins at the top again when the `query` changes. */
export function useGridWindow({ count, isLive, query, from }: Options): GridWindow {
  const scroller = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 600, isJump: false });

  useEffect(() => {
    if (scroller.current) scroller.current.scrollTop = 0;
  }, [query]);
  useLayoutEffect(() => {
    const box = scroller.current;
    if (!isLive || !box) return undefined;
    const measure = (): void => setView((now) => ({ ...now, height: box.clientHeight - ROW_HEIGHT }));
    box.scrollTo(from.current?.scroll ?? {});
    setView((now) => ({ ...now, top: box.scrollTop }));
    const observer = new ResizeObserver(measure);
    observer.observe(box);
    return () => observer.disconnect();
  }, [isLive, from]);
  // after a jump all rows are new: those around the visible ones are drawn in a task of their own
  useEffect(() => {
    if (!view.isJump) return undefined;
    const timer = setTimeout(() => setView((now) => ({ ...now, isJump: false })), 100);
    return () => clearTimeout(timer);
  }, [view]);

  return {
    scroller,
    ...windowOf(view.top, view.height, count, view.isJump ? 0 : MARGIN),
    page: Math.max(1, Math.floor(view.height / ROW_HEIGHT) - 1),
    onScroll: () => {
      const top = scroller.current?.scrollTop ?? 0;
      // rows are drawn anew only when others come into view
      if (Math.floor(top / ROW_HEIGHT) === Math.floor(view.top / ROW_HEIGHT)) return;
      const isJump = Math.abs(top - view.top) > MARGIN * ROW_HEIGHT;
      setView((now) => ({ ...now, top, isJump }));
    },
    reveal: (row) => {
      const box = scroller.current;
      if (!box || row < 0) return;
      const top = scrolledTo(row, box.scrollTop, view.height);
      if (top === box.scrollTop) return;
      box.scrollTop = top;
      setView((now) => ({ ...now, top }));
    },
  };
}
