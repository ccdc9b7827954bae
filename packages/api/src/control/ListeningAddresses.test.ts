import { once } from "node:events"
import { createServer } from "node:net"
import { platform } from "node:os"

import { expect, test } from "vitest"

import { listeningAddresses } from "./ListeningAddresses.ts"

test.runIf(platform() === "linux")(
  "[C-426] the system names every address at which the process listens, and no other",
  async () => {
    const before = listeningAddresses(process.pid)
    const servers = [createServer().listen(0, "127.0.0.1"), createServer().listen(0, "::1")]
    await Promise.all(servers.map((server) => once(server, "listening")))
    const ports = servers.map((server) => Object(server.address()).port)
    const opened = listeningAddresses(process.pid).filter((address) => !before.includes(address))
    expect(opened).toEqual([`127.0.0.1:${ports[0]}`, `[0:0:0:0:0:0:0:1]:${ports[1]}`])
    await Promise.all(servers.map((server) => new Promise((done) => server.close(done))))
    expect(listeningAddresses(process.pid)).toEqual(before)
  }
)
