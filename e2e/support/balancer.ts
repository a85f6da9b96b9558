import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';

/** A round-robin load balancer in front of several nodes. */
export interface Balancer {
  origin: string;
  /** The number of requests per node, by origin. */
  answered: Map<string, number>;
  /** Replaces the nodes. */
  sendTo: (...origins: string[]) => void;
  stop: () => Promise<void>;
}

export async function startBalancer(): Promise<Balancer> {
  const answered = new Map<string, number>();
  let nodes: string[] = [];
  let turn = 0;

  const server = http.createServer((request, response) => {
    const onlyLooks = request.method === 'GET' || request.method === 'HEAD';
    const ask = (place: number, triesLeft: number): void => {
      const node = nodes[place % nodes.length] ?? '';
      const { hostname, port } = new URL(node);
      const headers = { ...request.headers, 'x-forwarded-for': request.socket.remoteAddress };
      const asked = http.request(
        { hostname, port, method: request.method, path: request.url, headers, agent: false },
        (answer) => {
          answered.set(node, (answered.get(node) ?? 0) + 1);
          response.writeHead(answer.statusCode ?? 502, answer.headers);
          answer.pipe(response);
        },
      );
      asked.on('error', (error: NodeJS.ErrnoException) => {
        // The node is down, or was stopped during a safe request: nothing was changed, so the next node gets
        // it, as with any balancer.
        if (triesLeft > 0 && !response.headersSent && (error.code === 'ECONNREFUSED' || onlyLooks))
          return ask(place + 1, triesLeft - 1);
        if (!response.headersSent) response.writeHead(502);
        response.end();
      });
      if (onlyLooks) asked.end();
      else asked.on('socket', (socket) => socket.once('connect', () => request.pipe(asked)));
    };
    ask((turn += 1), nodes.length - 1);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answered,
    sendTo: (...origins) => void (nodes = origins),
    stop: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
