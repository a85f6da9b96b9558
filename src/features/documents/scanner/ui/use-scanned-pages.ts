import { useEffect, useRef, useState, type ChangeEvent } from 'react';
import { showAlert } from '#ui/alerts.ts';
import type { T } from '#platform/text/messages.ts';
import { MAX_PAGES } from '../rules.ts';
import { thumbnailOf } from './photos.ts';
import type { ScanWord } from './scanner-messages.ts';

export interface ScannedPage {
  id: number;
  photo: File;
  thumbnail: string;
  turns: number;
}

interface RemovedPage {
  page: ScannedPage;
  at: number;
}

const isHeic = ({ name, type }: File): boolean => /^image\/hei[cf]/.test(type) || /\.hei[cf]$/i.test(name);

/**
 * The pages in their order, what can be done with them, and a text that says what was done last. `onRead` is called
 * when chosen photos were read.
 */
export function useScannedPages(t: T<ScanWord>, onRead: () => void) {
  const [pages, setPages] = useState<readonly ScannedPage[]>([]);
  const [removed, setRemoved] = useState<RemovedPage>();
  const [reading, setReading] = useState<{ n: number; of: number }>();
  const [done, setDone] = useState('');
  const focusNext = useRef<string>(undefined);
  /** The pages now, and the photos that are being read: a render may be older. */
  const latest = useRef({ pages, reading: Promise.resolve() });

  useEffect(() => {
    if (focusNext.current !== undefined) document.getElementById(focusNext.current)?.focus();
    focusNext.current = undefined;
  });

  function show(next: readonly ScannedPage[]): void {
    latest.current.pages = next;
    setPages(next);
  }

  function pick({ target }: ChangeEvent<HTMLInputElement>): void {
    const photos = [...(target.files ?? [])];
    target.value = '';
    latest.current.reading = latest.current.reading.then(() => add(photos));
  }

  async function add(photos: File[]): Promise<void> {
    const room = MAX_PAGES - latest.current.pages.length;
    const refused: string[] = [];
    const added: ScannedPage[] = [];
    for (const [i, photo] of photos.slice(0, room).entries()) {
      setReading({ n: i + 1, of: photos.length });
      try {
        added.push({ id: nextId(), photo, thumbnail: await thumbnailOf(photo), turns: 0 });
      } catch {
        // whatever the decoder could not handle
        refused.push(t(isHeic(photo) ? 'heic' : 'notAPhoto', { name: photo.name }));
      }
    }
    show([...latest.current.pages, ...added]);
    setReading(undefined);
    onRead();
    if (added.length > 0) setDone(t('added', { count: added.length }));
    if (photos.length > room) refused.push(t('tooManyPages', { most: MAX_PAGES }));
    if (refused.length > 0) showAlert({ type: 'danger', msg: refused.join(' ') });
  }

  function move(at: number, by: 1 | -1): void {
    const page = pages[at];
    const to = at + by;
    if (!page) return;
    show(pages.toSpliced(at, 1).toSpliced(to, 0, page));
    const isEdge = to === 0 || to === pages.length - 1;
    focusNext.current = `${by < 0 === isEdge ? 'down' : 'up'}-${page.id}`;
    setDone(t('moved', { from: at + 1, to: to + 1 }));
  }

  function turn(at: number): void {
    show(pages.map((page, i) => (i === at ? { ...page, turns: (page.turns + 1) % 4 } : page)));
    setDone(t('turned', { page: at + 1 }));
  }

  function remove(at: number): void {
    const page = pages[at];
    if (!page) return;
    show(pages.toSpliced(at, 1));
    setRemoved({ page, at });
    setDone('');
    focusNext.current = 'scan-undo';
  }

  function putBack({ page, at }: RemovedPage): void {
    show(pages.toSpliced(at, 0, page));
    setRemoved(undefined);
    setDone(t('restored', { page: Math.min(at, pages.length) + 1 }));
    focusNext.current = `remove-${page.id}`;
  }

  function statusText(): string {
    if (reading) return t('reading', reading);
    return removed && done === '' ? t('removed', { page: removed.at + 1 }) : done;
  }

  return {
    pages,
    status: statusText(),
    pick,
    move,
    turn,
    remove,
    /** Restores the page that was removed last; undefined if there is none. */
    undo: removed && (() => putBack(removed)),
    /** The pages once all chosen photos are read. */
    settled: async (): Promise<readonly ScannedPage[]> => {
      await latest.current.reading;
      return latest.current.pages;
    },
    /** Forgets what was done last, and that it can be undone. */
    forget: (): void => {
      setDone('');
      setRemoved(undefined);
    },
  };
}

let ids = 0;
const nextId = (): number => (ids += 1);
