import { describe, expect, test } from 'vitest';
import { markWrites } from '#features/office/staff/read-only-markup.server.ts';

const BAR = '<small id="viewing-note">You only look.</small>';
const MARK = 'aria-disabled="true" aria-describedby="viewing-note"';
const changed = (html: string): string => markWrites(BAR + html).slice(BAR.length);

describe('pages while staff view as a contact', () => {
  test.each([
    ['a button of a form that posts', '<form method="post"><button class="x">A</button></form>'],
    ['a button that posts itself', '<form><button formmethod="post">A</button></form>'],
    ['a button of a form further down', '<button form="f">A</button><form id="f" method="POST"></form>'],
    ['a button of a part that writes', '<div data-writes><p><br>a</p><button type="button">A</button></div>'],
    ['a button that says itself that it writes', '<button type="button" data-writes>A</button>'],
    ['a field for files of a part that writes', '<div data-writes><input type="file" name="f"></div>'],
    ['a button behind a sign in an attribute', '<form method="post" title="a > b"><button>A</button></form>'],
  ])('a control that writes is marked read-only while viewing as a contact: %s', (_, html) => {
    expect(changed(html)).toBe(html.replace(/<button|<input/, (start) => `${start} ${MARK}`));
  });

  test.each([
    ['a form that asks', '<form role="search"><button>A</button></form>'],
    ['a button without a form', '<button>A</button>'],
    ['a button that sends nothing', '<form method="post"><button type="button">A</button></form>'],
    [
      'the way out',
      '<form method="post" action="/c/en-us/staff/view-as/end?client=c"><button>A</button></form>',
    ],
    ['signing out', '<form method="post" action="/c/en-us/auth/logout"><button>A</button></form>'],
    ['a button behind a form', '<form method="post"></form><button>A</button>'],
    ['a button behind a part that writes', '<div data-writes><img><i></i></div><button>A</button>'],
    ['a field for files that are only read', '<input type="file">'],
    [
      'what a script or a comment spells',
      '<script>"<form method=post><button>"</script><!-- <button data-writes> -->',
    ],
    ['a control that is marked already', '<button data-writes aria-disabled="true">A</button>'],
  ])('markup that does not write is not marked read-only: %s', (_, html) => {
    expect(changed(html)).toBe(html);
  });

  test('a control marked read-only keeps its own description', () => {
    expect(changed('<button data-writes aria-describedby="hint">A</button>')).toBe(
      '<button aria-disabled="true" aria-describedby="hint viewing-note" data-writes>A</button>',
    );
  });

  test('a page without the impersonation bar stays unchanged', () => {
    const html = '<form method="post"><button>A</button></form>';
    expect(markWrites(html)).toBe(html);
  });
});
