import ky from 'ky';
import { keyedFetch } from './keyed-fetch.ts';
import { followRefusal } from './refused-calls.ts';

/** The client of the browser for every call of the API. When the session has ended it leads to the sign-in. */
export const http = ky.create({
  fetch: keyedFetch,
  hooks: { afterResponse: [({ request, response }) => followRefusal(request.url, response.status)] },
});

/** The same for callers who handle every answer themselves. Nothing is sent again, and there is no time limit. */
export const plainHttp = ky.create({ retry: 0, timeout: false, throwHttpErrors: false });
