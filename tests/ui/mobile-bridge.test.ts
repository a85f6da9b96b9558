import { describe, expect, test } from 'vitest';
import { parseAppMessage } from '#ui/mobile-bridge/protocol.ts';

const NONCE = 'the-nonce';
const say = (event: string, payload?: unknown, more: object = {}): unknown => ({
  event,
  nonce: NONCE,
  ...(payload !== undefined && { payload }),
  ...more,
});

describe('messages from the mobile app', () => {
  test.each([
    ['Ping', undefined],
    ['Logout', {}],
    ['NavigateToTask', { taskId: 'task_1' }],
    ['NavigateToAction', { section: 'box-e', action: 'nfe-storage' }],
    ['SetAlert', { type: 'info', msg: '<b>Hello</b>' }],
  ])('a message from the app is accepted: %s', (event, payload) => {
    expect(parseAppMessage(say(event, payload), NONCE)).toEqual({ event, payload: payload ?? {} });
  });

  test.each([
    ['another nonce', { event: 'Ping', nonce: 'guess' }],
    ['no nonce', { event: 'Ping' }],
    ['an event that only the page tells', say('MarkAsDone', { taskId: 'task_1' })],
    ['an event that there is none of', say('Format')],
    ['a name that every object has', say('toString')],
    ['a field too many', say('Ping', { taskId: 'task_1' })],
    ['a part too many', say('Ping', undefined, { origin: 'x' })],
    ['a place outside', say('NavigateToTask', { taskId: '//evil.example' })],
    ['a way up', say('NavigateToTask', { taskId: '..' })],
    ['no task', say('NavigateToTask')],
    ['half an action', say('NavigateToAction', { section: 'box-e' })],
    ['an action with a slash', say('NavigateToAction', { section: 'box-e', action: 'a/../../auth/logout' })],
    ['an alert of no type', say('SetAlert', { type: 'loud', msg: 'x' })],
    ['an alert without words', say('SetAlert', { type: 'info', msg: '' })],
    ['an alert as long as a book', say('SetAlert', { type: 'info', msg: 'x'.repeat(501) })],
    ['a payload that is a list', say('Ping', [])],
    ['a text', JSON.stringify(say('Ping'))],
    ['nothing', null],
  ])('a message from the app with %s is refused', (_, data) => {
    expect(parseAppMessage(data, NONCE)).toBeUndefined();
  });
});
