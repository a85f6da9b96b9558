/*
 * Reads the page aloud, by the voice of the browser or the device: nothing is sent anywhere by the portal. Controls are
 * left out, as are texts that nobody sees.
 */

const NOT_READ = 'button, input, select, textarea, form, nav, dialog, script, style, svg, [aria-hidden=true]';
/** Browsers fall silent in long texts. */
const MAX_CHARACTERS = 200;

const place = document.querySelector<HTMLElement>('[data-read-aloud]');
const button = place?.querySelector('button');

if (place && button && 'speechSynthesis' in window) {
  const [start, stop] = [button.textContent, place.dataset['readAloud'] ?? ''];
  const show = (isSpeaking: boolean): void => {
    button.textContent = isSpeaking ? stop : start;
  };
  button.addEventListener('click', () => {
    const isSpeaking = speechSynthesis.speaking || speechSynthesis.pending;
    speechSynthesis.cancel();
    show(!isSpeaking);
    if (isSpeaking) return;
    const parts = partsOf(document.querySelector('main'));
    for (const [at, text] of parts.entries()) {
      const part = new SpeechSynthesisUtterance(text);
      part.lang = document.documentElement.lang;
      if (at === parts.length - 1) part.addEventListener('end', () => show(false));
      speechSynthesis.speak(part);
    }
  });
  addEventListener('pagehide', () => speechSynthesis.cancel());
  place.hidden = false;
}

/** The visible texts of an element in their order, in sentences or shorter. */
function partsOf(root: HTMLElement | null): string[] {
  if (!root) return [];
  const parts: string[] = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const { parentElement: parent, textContent } = walker.currentNode;
    const text = (textContent ?? '').replaceAll(/\s+/g, ' ').trim();
    if (text === '' || parent?.closest(NOT_READ) || parent?.checkVisibility() === false) continue;
    for (const sentence of text.split(/(?<=[.!?…])\s+/))
      for (let from = 0; from < sentence.length; from += MAX_CHARACTERS)
        parts.push(sentence.slice(from, from + MAX_CHARACTERS));
  }
  return parts;
}

export {}; // a module, whose names are its own
