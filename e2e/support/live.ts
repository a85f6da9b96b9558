import type { Page } from 'playwright/test';

/** Whether an address is that of the stream by which the portal tells open pages what changed. */
export const isStream = (url: string): boolean => url.endsWith('/api/notifications/v1/stream');

/** The count at the bell of a page. */
export const unread = (page: Page): Promise<number> =>
  page
    .locator('#bell summary')
    .evaluate((bell) => Number(bell.querySelector('.badge [aria-hidden]')?.textContent ?? 0));
