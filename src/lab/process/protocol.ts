/** What passes between a worker process and its parent; typed arrays and maps survive (structured clone). */
export interface WorkerRequest {
  readonly id: number;
  readonly method: string;
  readonly argument: unknown;
}

export interface WorkerAnswer {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: string;
}
