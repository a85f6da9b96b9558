/*
 * Lets somebody draw their signature with a pointer. What is drawn is sent as a PNG in the hidden field of the form;
 * the typed name stays the signature for those who do not draw.
 */

const started = new WeakSet<HTMLElement>();

/** Takes over the canvas in `box`, and the button that clears it; does nothing the second time. */
export function drawSignature(box: HTMLElement): void {
  const canvas = box.querySelector('canvas');
  const context = canvas?.getContext('2d');
  const field = box.closest('form')?.elements.namedItem('drawing');
  if (!canvas || !context || !(field instanceof HTMLInputElement) || started.has(box)) return;
  started.add(box);
  context.lineWidth = 3;
  context.lineCap = 'round';
  context.lineJoin = 'round';
  let last: { x: number; y: number } | undefined;
  const at = ({ clientX, clientY }: PointerEvent) => {
    const { left, top, width, height } = canvas.getBoundingClientRect();
    return {
      x: ((clientX - left) / width) * canvas.width,
      y: ((clientY - top) / height) * canvas.height,
    };
  };
  const line = (event: PointerEvent): void => {
    if (!last) return;
    const next = at(event);
    context.beginPath();
    context.moveTo(last.x, last.y);
    context.lineTo(next.x, next.y);
    context.stroke();
    last = next;
  };
  const end = (): void => {
    if (last) field.value = canvas.toDataURL('image/png');
    last = undefined;
  };
  canvas.addEventListener('pointerdown', (event) => {
    canvas.setPointerCapture(event.pointerId);
    last = at(event);
    line(event); // a dot
    event.preventDefault();
  });
  canvas.addEventListener('pointermove', line);
  canvas.addEventListener('pointerup', end);
  canvas.addEventListener('pointercancel', end);
  box.querySelector('[data-clear]')?.addEventListener('click', () => {
    context.clearRect(0, 0, canvas.width, canvas.height);
    field.value = '';
  });
}
