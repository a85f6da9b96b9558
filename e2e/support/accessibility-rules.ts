/**
 * Runs in the page. Checks its current state by rules of accessibility that axe does not have, and returns what
 * breaks them. Moves the focus through all controls, without events for the page's own scripts.
 */
export function brokenRules(): string[] {
  const FOCUSABLE =
    'a[href], button:not(:disabled), input:not([type=hidden], :disabled), select:not(:disabled), textarea:not(:disabled), summary, [tabindex]:not([tabindex="-1"])';
  const isSeen = (element: Element): boolean => {
    const { width, height } = element.getBoundingClientRect();
    return element.checkVisibility({ visibilityProperty: true }) && width > 1 && height > 1;
  };
  const all = <Found extends Element = HTMLElement>(
    selector: string,
    root: ParentNode = document,
  ): Found[] => [...root.querySelectorAll<Found>(selector)];
  const short = (element: Element): string => element.outerHTML.replaceAll(/\s+/g, ' ').slice(0, 110);
  const textOf = (element: Element | null): string =>
    (element?.textContent ?? '').replaceAll(/\s+/g, ' ').trim();
  const nameOf = (element: HTMLElement): string => {
    const labelledBy = element.getAttribute('aria-labelledby');
    if (labelledBy !== null)
      return labelledBy
        .split(/\s+/)
        .map((id) => textOf(document.getElementById(id)))
        .join(' ')
        .trim();
    const label = element.getAttribute('aria-label');
    if (label !== null) return label.trim();
    if (element instanceof HTMLInputElement && ['submit', 'button', 'reset'].includes(element.type))
      return element.value;
    if ('labels' in element && element.labels instanceof NodeList && element.labels.length > 0)
      return [...element.labels]
        .map((each) => textOf(each as Element))
        .join(' ')
        .trim();
    return `${textOf(element)} ${all<HTMLImageElement>('img[alt]', element)
      .map(({ alt }) => alt)
      .join(' ')}`.trim();
  };
  const controls = all(FOCUSABLE).filter(
    (control) => isSeen(control) && !control.closest('[aria-hidden=true], [inert]'),
  );
  // An open dialog hides the rest of the page from the focus.
  const dialog = document.querySelector('dialog:modal');
  const reachable = controls.filter((control) => !dialog || dialog.contains(control));

  const fieldsWithoutLabel = (): string[] =>
    all('input:not([type=hidden], [type=submit], [type=button], [type=reset]), select, textarea')
      .filter((field) => isSeen(field) && nameOf(field) === '')
      .map((field) => `field named by its placeholder or title only: ${short(field)}`);

  const imagesNamedByFiles = (): string[] =>
    all<HTMLImageElement>('img[alt]')
      .filter(({ alt }) => /^\S+\.(?:png|jpe?g|gif|svg|webp)$/i.test(alt))
      .map((image) => `image named by its file: ${short(image)}`);

  const sameNames = (): string[] => {
    // The header of a row is told apart by the row's other cells.
    const links = all<HTMLAnchorElement>('main a[href]').filter(
      (link) => isSeen(link) && !link.closest('th'),
    );
    const places = new Map<string, Set<string>>();
    for (const link of links) {
      const name = nameOf(link);
      const url = new URL(link.href);
      places.set(name, (places.get(name) ?? new Set()).add(url.pathname));
    }
    const inRows = all('main :is(tr, li) button').filter(isSeen);
    // Rows with the same header, such as two devices of one kind, are told apart by their other cells, too.
    const headerOf = (row: Element | null): Element | string | null =>
      row?.querySelector('th')?.textContent.trim() ?? row;
    const rows = new Map<string, Set<Element | string | null>>();
    for (const button of inRows)
      rows.set(
        nameOf(button),
        (rows.get(nameOf(button)) ?? new Set()).add(headerOf(button.closest('tr, li'))),
      );
    return [
      ...[...places]
        .filter(([, found]) => found.size > 1)
        .map(([name, found]) => `${found.size} links named "${name}" lead to different pages`),
      ...[...rows]
        .filter(([, found]) => found.size > 1)
        .map(([name, found]) => `${found.size} rows have a button named "${name}"`),
    ];
  };

  const visibleTextInName = (): string[] =>
    all(':is(a[href], button)[aria-label]')
      .filter((control) => {
        const seen = control.innerText.replaceAll(/\s+/g, ' ').trim();
        return (
          isSeen(control) && seen.length > 2 && !nameOf(control).toLowerCase().includes(seen.toLowerCase())
        );
      })
      .map((control) => `name without the visible text: ${short(control)}`);

  const headingsAsText = (): string[] => {
    const size = Number.parseFloat(getComputedStyle(document.body).fontSize);
    return all('main :is(p, div, span, strong, b)')
      .filter((element) => {
        if (
          !isSeen(element) ||
          element.closest(
            'h1, h2, h3, h4, h5, h6, [role=heading], th, td, dl, legend, label, button, a, summary, caption, [aria-hidden=true], [role=img], [role=alert], [role=status], .alert, li, figure, output, data',
          )
        )
          return false;
        const own = [...element.childNodes]
          .filter(({ nodeType }) => nodeType === 3)
          .map(({ textContent }) => textContent?.trim() ?? '')
          .join('');
        const style = getComputedStyle(element);
        return (
          own.length > 2 &&
          !/\d/.test(own) &&
          own.length < 60 &&
          textOf(element) === own &&
          Number(style.fontWeight) >= 600 &&
          Number.parseFloat(style.fontSize) >= size * 1.05 &&
          style.display !== 'inline'
        );
      })
      .map((element) => `looks like a heading and is none: ${short(element)}`);
  };

  const titleWithoutHeading = (): string[] => {
    const heading = textOf(document.querySelector('h1'));
    return document.title.trim() === ''
      ? ['page without a title']
      : heading === ''
        ? ['page without a heading']
        : [];
  };

  // Links within a text may be smaller, and axe judges the space around others.
  const smallTargets = (): string[] =>
    reachable
      .filter((control) => control.matches('button, summary, input, select, textarea, .button'))
      .filter((control) => {
        const labels = 'labels' in control && control.labels instanceof NodeList ? [...control.labels] : [];
        const boxes = [control, ...labels].flatMap((each) =>
          each instanceof Element ? [each.getBoundingClientRect()] : [],
        );
        return !boxes.some(({ width, height }) => Math.round(width) >= 24 && Math.round(height) >= 24);
      })
      .map((control) => `target below 24 px: ${short(control)}`);

  const isNamed = (element: Element | null): boolean =>
    element?.matches('[aria-label], [aria-labelledby]') ?? false;
  const tablesWithoutHeaders = (): string[] =>
    all<HTMLTableElement>('table')
      .filter((table) => isSeen(table) && table.getAttribute('role') !== 'presentation')
      .flatMap((table) => [
        ...(table.querySelector('th') ? [] : [`table without headers: ${short(table)}`]),
        ...((table.caption ?? (isNamed(table) || isNamed(table.closest('[role=region]'))))
          ? []
          : [`table without a name: ${short(table)}`]),
      ]);

  const errorsWithoutField = (): string[] =>
    all('[aria-invalid=true]')
      .filter((field) => isSeen(field))
      .filter((field) => {
        const group = field.closest('fieldset, [role=group], [role=radiogroup]');
        const ids = [field, group].flatMap((each) =>
          (each?.getAttribute('aria-describedby') ?? '').split(/\s+/),
        );
        return !ids.some((id) => id !== '' && textOf(document.getElementById(id)) !== '');
      })
      .map((field) => `invalid field without its error: ${short(field)}`);

  const errorsOfNoField = (): string[] => {
    const described = new Set(
      all('[aria-describedby]').flatMap((each) => (each.getAttribute('aria-describedby') ?? '').split(/\s+/)),
    );
    return all('.field-error[id]')
      .filter((error) => isSeen(error) && !described.has(error.id))
      .map((error) => `error of no field: ${short(error)}`);
  };

  const silentAlerts = (): string[] =>
    all('#alerts, [data-selection]')
      .filter(
        (region) =>
          !region.matches('[role=status], [role=alert], [role=log], [aria-live]') &&
          !region.querySelector('[role=status], [role=alert], [aria-live]'),
      )
      .map((region) => `changes are not announced: ${short(region)}`);

  const languagesUnmarked = (): string[] =>
    all('a, button, option, label, span, li, p')
      .filter(
        (element) => isSeen(element) && /^(?:Español|Português|Français)(?: \(.*\))?$/.test(textOf(element)),
      )
      .filter(
        (element) =>
          (element.closest('[lang]') ?? document.documentElement) === document.documentElement &&
          !element.querySelector('[lang]'),
      )
      .filter(
        (element) =>
          !document.documentElement.lang.startsWith(
            { E: 'es', P: 'pt', F: 'fr' }[textOf(element)[0] ?? ''] ?? '-',
          ),
      )
      .map((element) => `language named without lang: ${short(element)}`);

  const clickableTexts = (): string[] =>
    all('main :is(div, span, td, li, p, img)')
      .filter((element) => {
        if (
          !isSeen(element) ||
          getComputedStyle(element).cursor !== 'pointer' ||
          element.closest('[role=img]')
        )
          return false;
        // what is not on the screen, or under a bar at its edge, is not found by its place
        element.scrollIntoView({ block: 'center', behavior: 'instant' });
        const { left, top, width, height } = element.getBoundingClientRect();
        const interactive = `${FOCUSABLE}, label`;
        const hit = document.elementFromPoint(left + width / 2, top + height / 2);
        scrollTo({ top: 0, behavior: 'instant' });
        return (
          !element.closest(interactive) && !element.querySelector(interactive) && !hit?.closest(interactive)
        );
      })
      .map((element) => `reacts to the pointer only: ${short(element)}`);

  const unreachable = (): string[] => [
    ...all<HTMLLabelElement>('label')
      .filter((label) => isSeen(label) && label.control && !label.control.matches(':disabled'))
      .filter(({ control }) => control && !control.checkVisibility({ visibilityProperty: true }))
      .map((label) => `label of a field that the keyboard cannot reach: ${short(label)}`),
    ...all(':is(button, a[href], input:not([type=hidden]), select, textarea, summary)[tabindex="-1"]')
      .filter(
        (control) =>
          isSeen(control) &&
          !control.closest(
            '[role=grid], [role=treegrid], [role=listbox], [role=menu], [role=tree], [role=tablist], [role=radiogroup], [role=toolbar], [aria-hidden=true]',
          ),
      )
      .map((control) => `not in the tab order: ${short(control)}`),
    ...all('[role=button], [role=link], [role=checkbox], [role=switch]')
      .filter(
        (control) => isSeen(control) && !control.matches(`${FOCUSABLE}, [tabindex], [aria-disabled=true]`),
      )
      .map((control) => `role without the keyboard: ${short(control)}`),
  ];

  const newWindows = (): string[] =>
    all<HTMLAnchorElement>('a[target=_blank]')
      .filter((link) => isSeen(link) && !/new (?:tab|window)|aba|pestaña|onglet/i.test(nameOf(link)))
      .map((link) => `opens a new tab without saying so: ${short(link)}`);

  /** What can show the focus; '/' without a ring. A shadow that is always there shows nothing. */
  const ringOf = (element: Element): string => {
    for (const animation of element.getAnimations())
      if (animation instanceof CSSTransition) animation.finish();
    const { outlineStyle, outlineWidth, outlineColor, boxShadow } = getComputedStyle(element);
    const hasOutline = outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 1;
    return [hasOutline ? `${outlineWidth} ${outlineColor}` : '', boxShadow === 'none' ? '' : boxShadow].join(
      '/',
    );
  };

  const focus = (): string[] => {
    const before = document.activeElement;
    const { scrollX, scrollY } = window;
    const quiet = (event: Event): void => event.stopImmediatePropagation();
    for (const type of ['focusin', 'focusout', 'focus', 'blur']) addEventListener(type, quiet, true);
    const found: string[] = [];
    if (before instanceof HTMLElement) before.blur(); // its focus may come from the pointer
    for (const control of reachable) {
      if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
      const showing = [
        control,
        ...(control.parentElement ? [control.parentElement] : []),
        ...('labels' in control && control.labels instanceof NodeList
          ? ([...control.labels] as Element[])
          : []),
      ];
      const unfocused = showing.map(ringOf);
      control.focus({ preventScroll: false, ...({ focusVisible: true } as FocusOptions) });
      if (document.activeElement !== control) {
        found.push(`takes no focus: ${short(control)}`);
        continue;
      }
      const hasRing = showing.some((element, index) => {
        const ring = ringOf(element);
        return ring !== '/' && ring !== unfocused[index];
      });
      if (!hasRing) found.push(`focus is not visible: ${short(control)}`);
      const { left, right, top, bottom } = control.getBoundingClientRect();
      if (right <= 0 || left >= innerWidth) continue; // beside the page, such as the link to the content
      const [x, y] = [
        [Math.max(1, left + 3), (left + right) / 2, Math.min(innerWidth - 1, right - 3)],
        [Math.max(1, top + 3), (top + bottom) / 2, Math.min(innerHeight - 1, bottom - 3)],
      ] as const;
      const hits = x.flatMap((each) => y.map((other) => document.elementFromPoint(each, other)));
      const isShown = hits.some(
        (hit) =>
          hit &&
          (control.contains(hit) || hit.contains(control) || hit.closest('label')?.control === control),
      );
      const cover = hits.find((hit) => hit !== null);
      // An open menu, or an alert, can be closed.
      const canClose =
        cover?.closest('details[open], [popover], dialog, #alerts') ?? cover?.querySelector('details[open]');
      if (!isShown && !canClose)
        found.push(`focused, but covered by ${cover ? short(cover) : 'nothing'}: ${short(control)}`);
    }
    if (before instanceof HTMLElement) before.focus({ preventScroll: true });
    scrollTo(scrollX, scrollY);
    for (const type of ['focusin', 'focusout', 'focus', 'blur']) removeEventListener(type, quiet, true);
    return found;
  };

  return [
    ...fieldsWithoutLabel(),
    ...imagesNamedByFiles(),
    ...sameNames(),
    ...visibleTextInName(),
    ...headingsAsText(),
    ...titleWithoutHeading(),
    ...smallTargets(),
    ...tablesWithoutHeaders(),
    ...errorsWithoutField(),
    ...errorsOfNoField(),
    ...silentAlerts(),
    ...languagesUnmarked(),
    ...clickableTexts(),
    ...unreachable(),
    ...newWindows(),
    ...focus(),
  ];
}

/** Runs in a page whose reader prefers reduced motion: what moves nevertheless. */
export function movingParts(): string[] {
  return [...document.querySelectorAll('body *')]
    .filter((element) => element.checkVisibility())
    .filter((element) => {
      const { animationName, animationDuration, transitionDuration, scrollBehavior } =
        getComputedStyle(element);
      // What turns slowly only shows that the page is busy.
      const isMotion = (durations: string): boolean =>
        durations.split(',').some((each) => Number.parseFloat(each) > 0.01 && Number.parseFloat(each) < 4);
      return (
        (animationName !== 'none' && isMotion(animationDuration)) ||
        isMotion(transitionDuration) ||
        scrollBehavior === 'smooth'
      );
    })
    .map((element) => `moves: ${element.outerHTML.replaceAll(/\s+/g, ' ').slice(0, 90)}`);
}
