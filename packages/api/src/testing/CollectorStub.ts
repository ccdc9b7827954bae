import { createServer, type IncomingHttpHeaders } from "node:http"

/** One export that came. */
export interface Export {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

/** A collector on this machine, which keeps what it is sent. */
export interface CollectorStub {
  readonly url: string
  readonly exports: ReadonlyArray<Export>
  /** From now on exports get this answer; `null` = none. */
  answer(status: number | null): void
  close(): Promise<void>
}

export const startCollector = async (): Promise<CollectorStub> => {
  const exports: Array<Export> = []
  let status: number | null = 200
  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const { url: path = "", headers } = request
      exports.push({ path, headers, text: Buffer.concat(chunks).toString() })
      if (status !== null) response.writeHead(status).end("{}")
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  const port = address !== null && typeof address === "object" ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}`,
    exports,
    answer: (next) => (status = next),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
  }
}
