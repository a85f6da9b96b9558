import { registerWorker, sendSubscription } from '#ui/service-worker.ts';

/** What of the section is shown, by the `data-push-state` of its parts. */
type State = 'off' | 'on' | 'denied' | 'unsupported' | 'install' | 'failed';

/** Lets people turn on push notifications in this browser. It asks only when the button is pressed. */
export function enablePush(section: HTMLElement): void {
  const { pushKey = '', onIphone } = section.dataset;
  const show = (state: State): void => {
    for (const part of section.querySelectorAll<HTMLElement>('[data-push-state]'))
      part.hidden = part.dataset['pushState'] !== state;
  };
  // an iPad says that it is a Mac
  const isIPad = /Macintosh/.test(navigator.userAgent) && navigator.maxTouchPoints > 1;
  const isApp = matchMedia('(display-mode: standalone)').matches;
  const isSupported = 'serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window;
  if ((onIphone !== undefined || isIPad) && !isApp) return show('install');
  if (!isSupported) return show('unsupported');
  if (Notification.permission === 'denied') return show('denied');
  void currentSubscription().then((subscription) =>
    show(subscription && section.dataset['hasThis'] !== undefined ? 'on' : 'off'),
  );
  section.querySelector('[data-push-on]')?.addEventListener('click', () => {
    const titles = section.querySelector<HTMLInputElement>('[data-push-titles]');
    turnOn(pushKey, titles?.checked ?? false).then(
      (isOn) => {
        if (isOn) location.reload();
        else show(Notification.permission === 'denied' ? 'denied' : 'off');
      },
      () => show('failed'),
    );
  });
}

const currentSubscription = async (): Promise<PushSubscription | null> =>
  (await (await navigator.serviceWorker.getRegistration())?.pushManager.getSubscription()) ?? null;

/** Throws if the browser, its push service or the portal refuses; false if the person does. */
async function turnOn(key: string, showsTitles: boolean): Promise<boolean> {
  if ((await Notification.requestPermission()) !== 'granted') return false;
  await registerWorker();
  const { pushManager } = await navigator.serviceWorker.ready;
  const old = await pushManager.getSubscription();
  // one for another key of the portal gets nothing any more
  if (old && keyOf(old) !== key) await old.unsubscribe();
  const subscription = await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
  if ((await sendSubscription(subscription, { showsTitles, publicKey: key }))?.isOn) return true;
  throw new Error('the portal did not take the subscription');
}

/** The key that a subscription is for, base64url. */
const keyOf = ({ options }: PushSubscription): string =>
  btoa(String.fromCharCode(...new Uint8Array(options.applicationServerKey ?? new ArrayBuffer())))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
