import { connect, createServer, type Server, type Socket } from "node:net"

import { isReady } from "./Runners.ts"

/** What stands in front of the runners of a service. */
export interface Balancer {
  readonly url: string
  close(): void
}

const looksEveryMs = 500
const lookWithinMs = 2_000

/** A load balancer: each connection goes to the next runner that is ready. */
export const startBalancer = async (urls: ReadonlyArray<string>): Promise<Balancer> => {
  const ready = new Set(urls)
  const clients = new Set<Socket>()
  const looks = setInterval(() => {
    for (const url of urls) {
      void isReady(url, lookWithinMs).then((is) => (is ? ready.add(url) : ready.delete(url)))
    }
  }, looksEveryMs)
  let turn = 0
  const server = createServer((client) => {
    clients.add(client)
    client.on("close", () => clients.delete(client))
    const ports = urls.filter((url) => ready.has(url)).map((url) => Number(new URL(url).port))
    const port = ports[turn++ % Math.max(1, ports.length)]
    if (port === undefined) return void client.destroy()
    const runner = connect(port, "127.0.0.1")
    for (const [from, to] of [
      [client, runner],
      [runner, client]
    ] as const) {
      from.setNoDelay(true)
      from.on("error", () => to.destroy())
      from.on("close", () => to.destroySoon())
      from.pipe(to)
    }
  })
  const port = await listening(server)
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => {
      clearInterval(looks)
      server.close()
      for (const client of clients) client.destroy()
    }
  }
}

const listening = (server: Server): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once("error", reject)
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      resolve(address !== null && typeof address === "object" ? address.port : 0)
    })
  })
