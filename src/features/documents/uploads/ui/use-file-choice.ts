import type { ChangeEvent, DragEvent } from 'react';
import type { T } from '#platform/text/messages.ts';
import { showAlert } from '#ui/alerts.ts';
import { checkFiles, type FileSender, type FindFiles } from './file-sender.ts';
import { alertNotReadable, alertRefused } from './upload-alerts.ts';
import type { UploaderWord } from './uploader-messages.ts';

interface Options {
  /** The URL that files are sent to now. */
  target: () => string;
  /** The accepted extensions, in the format of a file field: `.pdf,.txt`. */
  accept: string;
  mayAddFolders: boolean;
  locale: string;
  t: T<UploaderWord>;
}

interface FileChoice {
  pick: (event: ChangeEvent<HTMLInputElement>) => void;
  pickFolder: () => void;
  drop: (event: DragEvent) => void;
}

/** Sends files and folders that are chosen or dropped, and says which of them cannot be sent. */
export function useFileChoice(sender: FileSender, options: Options): FileChoice {
  const { target, accept, mayAddFolders, locale, t } = options;

  function take(chosen: readonly File[], to: (file: File) => string = target): void {
    const { accepted, refused } = checkFiles(chosen, accept);
    alertRefused(t, locale, refused);
    for (const file of accepted) sender.send(file, to(file));
  }

  /** Creates the folders first, then uploads each file to its own. */
  function takeFolders(find: FindFiles, place = target()): void {
    sender
      .addressesIn(find, place, (file) => takeFolders(() => [file], place))
      .then((addresses) => take([...addresses.keys()], (file) => addresses.get(file) ?? place))
      .catch(() => alertNotReadable(t));
  }

  function pick(event: ChangeEvent<HTMLInputElement>): void {
    take([...(event.target.files ?? [])]);
    event.target.value = '';
  }

  function pickFolder(): void {
    const field = Object.assign(document.createElement('input'), { type: 'file', webkitdirectory: true });
    field.onchange = () => {
      const chosen = [...(field.files ?? [])];
      takeFolders(({ chosenIn }) => chosenIn(chosen));
    };
    field.click();
  }

  function drop(event: DragEvent): void {
    event.preventDefault();
    const entries = [...event.dataTransfer.items].flatMap((item) => item.webkitGetAsEntry() ?? []);
    if (!entries.some(({ isDirectory }) => isDirectory)) take([...event.dataTransfer.files]);
    else if (mayAddFolders) takeFolders(({ droppedIn }) => droppedIn(entries));
    else showAlert({ type: 'danger', msg: t('reasonFolder') });
  }

  return { pick, pickFolder, drop };
}
