/*
 * Files can be dropped anywhere on the documents page: they are passed on to the uploader, which reads them
 * (src/ui/interaction/directive.ts). It is loaded when something is first dragged over the page.
 */

const target = document.querySelector<HTMLElement>('.upload-choose');
const marks = document.documentElement.dataset;

const hasFiles = ({ dataTransfer }: DragEvent): boolean => dataTransfer?.types.includes('Files') ?? false;

if (target) {
  document.addEventListener('dragover', (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    if (marks['dropping'] === undefined) target.dispatchEvent(new Event('dragenter')); // loads the uploader
    marks['dropping'] = '';
  });
  document.addEventListener('dragleave', ({ relatedTarget }) => {
    if (relatedTarget === null) delete marks['dropping']; // it left the window
  });
  const drop = (event: DragEvent): void => {
    delete marks['dropping'];
    const isPassedOn = event.target instanceof Node && target.contains(event.target);
    if (isPassedOn || !hasFiles(event)) return;
    event.preventDefault();
    const { dataTransfer } = event;
    target.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
  };
  document.addEventListener('drop', drop, true); // an island that is loading keeps its events
}

export {}; // a module, which the page imports on demand
