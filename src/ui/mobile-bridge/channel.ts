/** How a page reaches the app that shows it. */
export interface NativeChannel {
  postMessage: (message: string) => void;
}

declare global {
  interface Window {
    ReactNativeWebView?: NativeChannel;
    webkit?: { messageHandlers?: { clientPortal?: NativeChannel } };
  }
}

/** The session storage key that the app sets to `true` before it shows a page. */
const MOBILE_FLAG = 'ccMobile';

/**
 * Starts the bridge inside the mobile app: where its flag is in session storage and its channel in the
 * window. Anywhere else nothing is loaded.
 */
export function startInApp(): void {
  if (sessionStorage.getItem(MOBILE_FLAG) !== 'true') return;
  const channel = window.ReactNativeWebView ?? window.webkit?.messageHandlers?.clientPortal;
  if (typeof channel?.postMessage !== 'function') return;
  const { home = '/', origins = '' } = document.getElementById('mobile-bridge')?.dataset ?? {};
  void import('./bridge.ts').then(({ startBridge }) =>
    startBridge({ channel, home, origins: origins.split(' ').filter(Boolean) }),
  );
}
