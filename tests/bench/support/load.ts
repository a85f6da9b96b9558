import http from 'node:http';

export interface Shot {
  method?: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
  /** Any other status ends the benchmark, since errors are fast. */
  status?: number;
}

const agents = new Map<number, http.Agent>();

/**
 * Sends `count` requests over `atOnce` keep-alive connections, each as soon as one is free, and returns the
 * duration of each in ms.
 */
export async function fire(url: string, shot: Shot, count: number, atOnce: number): Promise<number[]> {
  const agent = agents.get(atOnce) ?? new http.Agent({ keepAlive: true, maxSockets: atOnce });
  agents.set(atOnce, agent);
  const took: number[] = [];
  let left = count;
  const shooter = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const began = performance.now();
      await request(url, shot, agent);
      took.push(performance.now() - began);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, shooter));
  return took;
}

/** Sends a request and returns its complete response. */
export async function ask(
  url: string,
  shot: Shot = {},
): Promise<{ body: Buffer; headers: http.IncomingHttpHeaders }> {
  return request(url, shot, undefined);
}

function request(
  url: string,
  { method = 'GET', headers = {}, body, status = 200 }: Shot,
  agent: http.Agent | undefined,
): Promise<{ body: Buffer; headers: http.IncomingHttpHeaders }> {
  return new Promise((resolve, reject) => {
    const sent = http.request(url, { method, headers, ...(agent && { agent }) }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const answer = Buffer.concat(chunks);
        if (response.statusCode === status) resolve({ body: answer, headers: response.headers });
        else
          reject(
            new Error(
              `${method} ${url} was answered with ${response.statusCode}, not ${status}: ${answer.toString().slice(0, 300)}`,
            ),
          );
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}
