import { randomInt } from "node:crypto"
import { createServer } from "node:net"

/**
 * Where the system puts nobody by itself: it takes the ports of connections, and those of servers that leave the choice
 * to it, from 32768 on. A test that binds a port later, or again, finds it free.
 */
const From = 20_000
const To = 32_000

const isOpen = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer()
    server.once("error", () => resolve(false))
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)))
  })

/** The first of so many ports beside each other that nobody has, and that nobody gets by chance. */
export const keptPort = async (count = 1): Promise<number> => {
  for (;;) {
    const first = randomInt(From, To - count)
    const open = []
    for (let at = 0; at < count; at++) open.push(await isOpen(first + at))
    if (open.every(Boolean)) return first
  }
}
