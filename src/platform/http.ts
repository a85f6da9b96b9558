import ky from 'ky';
import { followRefusal } from './refused-calls.ts';

/** The HTTP client of all islands: handles expired sessions in one place. */
export const http = ky.create({
  hooks: { afterResponse: [({ request, response }) => followRefusal(request.url, response.status)] },
});
