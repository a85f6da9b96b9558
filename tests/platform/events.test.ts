import { expect, test } from 'vitest';
import { defineEvent } from '#platform/runtime/events.server.ts';

test('the subscribers of an event act one after the other, and what one throws reaches the announcer', async () => {
  const event = defineEvent<{ id: string }>();
  const acted: string[] = [];
  event.subscribe(async ({ id }) => {
    await Promise.resolve();
    acted.push(`first ${id}`);
  });
  event.subscribe(({ id }) => {
    acted.push(`second ${id}`);
    return id === 'bad' ? Promise.reject(new Error('refused')) : Promise.resolve();
  });
  await event.announce({ id: 'a' });
  expect(acted).toEqual(['first a', 'second a']);
  await expect(event.announce({ id: 'bad' })).rejects.toThrow('refused');
});
