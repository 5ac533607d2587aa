/** HAProxy with one thread, HTTP/2 on both sides. */
import type { ProxyProgram } from './proxy.js';

export const HAPROXY: ProxyProgram = {
  component: 'haproxy',
  file: 'haproxy.cfg',
  arguments: (file) => ['-db', '-f', file],
  configuration: (port, oapPorts) =>
    [
      'global',
      '  nbthread 1',
      '  maxconn 8000',
      // As much as ours gives a stream; the default would make every fourth large message wait for credit.
      '  tune.h2.initial-window-size 1048576',
      'defaults',
      '  mode http',
      '  timeout connect 5s',
      // Of a silent stream, not of a request.
      '  timeout client 1d',
      '  timeout server 1d',
      'frontend sources',
      `  bind 127.0.0.1:${port} proto h2 backlog 4096`,
      '  default_backend oaps',
      'backend oaps',
      '  balance leastconn',
      ...oapPorts.map((oapPort) => `  server oap-${oapPort} 127.0.0.1:${oapPort} proto h2`),
      '',
    ].join('\n'),
};
