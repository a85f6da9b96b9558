/** Registers the service worker, which is the same for all pages; undefined where the browser has none, or refuses. */
export async function registerWorker(): Promise<ServiceWorkerRegistration | undefined> {
  const [, base = ''] = location.pathname.split('/');
  if (!('serviceWorker' in navigator)) return undefined;
  // a browser that refuses it has the same pages
  return navigator.serviceWorker
    .register('/sw.js', { scope: `/${base}/`, updateViaCache: 'none' })
    .catch(() => undefined);
}

const RENEWED = 'push-renewed';

/**
 * Tells the portal once a visit that this browser is still in use, if it gets push notifications. `session` is another one for
 * each session.
 */
export async function renewPush(registration: ServiceWorkerRegistration, session: string): Promise<void> {
  const subscription = await registration.pushManager?.getSubscription();
  if (!subscription || sessionStorage.getItem(RENEWED) === session) return;
  sessionStorage.setItem(RENEWED, session);
  const { renewWith } = (await sendSubscription(subscription, { isRenewal: true })) ?? {};
  if (renewWith !== undefined) await subscribeAnew(registration, subscription, renewWith);
}

/** The portal has another key: a subscription is for one key, and what is sent with the earlier one ends with it. */
async function subscribeAnew(
  { pushManager }: ServiceWorkerRegistration,
  old: PushSubscription,
  publicKey: string,
): Promise<void> {
  await old.unsubscribe();
  const subscription = await pushManager.subscribe({
    userVisibleOnly: true,
    applicationServerKey: publicKey,
  });
  await sendSubscription(subscription, { isRenewal: true, replaces: old.endpoint, publicKey });
}

/**
 * Returns whether this browser gets push notifications of who is signed in, and the key with which it should subscribe anew;
 * undefined where the portal does not answer.
 */
export async function sendSubscription(
  subscription: PushSubscription,
  chosen:
    { isRenewal: true; replaces?: string; publicKey?: string } | { showsTitles: boolean; publicKey: string },
): Promise<{ isOn: boolean; renewWith?: string } | undefined> {
  const { endpoint, keys } = subscription.toJSON();
  const answer = await fetch('/api/notifications/v1/push-subscriptions', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Background': '1' },
    body: JSON.stringify({ endpoint, keys, ...chosen }),
  }).catch(() => undefined);
  return answer?.ok ? ((await answer.json()) as { isOn: boolean; renewWith?: string }) : undefined;
}
