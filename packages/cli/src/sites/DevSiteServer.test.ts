import { symlink } from "node:fs/promises"
import { get, type IncomingHttpHeaders } from "node:http"
import { connect } from "node:net"
import { join } from "node:path"

import { Effect } from "effect"
import { describe, expect, it } from "vitest"

import { gameOfEachTest } from "../testing/EachTest.ts"
import { startDevSite } from "./DevSiteServer.ts"
import { makeLiveReload } from "./LiveReload.ts"

const game = gameOfEachTest({
  "secret.txt": "secret",
  "dist/index.html": "<body>page</body>",
  "dist/sub/index.html": "<h1>sub</h1>",
  "dist/main.js": "built",
  "dist/Build/game.wasm.br": "packed",
  "dist/é b.txt": "é",
  "dist/.env": "secret",
  "dist/.git/HEAD": "secret",
  "dist/.hidden": "secret",
  "dist/node_modules/a.js": "secret"
})

interface Answer {
  readonly status: number | undefined
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

interface Asking {
  readonly ask: (path: string, host?: string) => Promise<Answer>
  readonly port: number
  readonly changed: () => void
}

/** Serves the folder while a test asks it. */
const served = <A>(
  story: (asking: Asking) => Promise<A>,
  bundled: ReadonlyMap<string, Uint8Array> = new Map()
): Promise<A> =>
  Effect.gen(function* () {
    const reload = makeLiveReload("run")
    const shown = () => ({ root: join(game.path, "dist"), bundled })
    const port = yield* startDevSite({ shown, reload }, 0)
    const ask = (path: string, host = `localhost:${port}`) =>
      new Promise<Answer>((resolve, reject) => {
        get({ host: "127.0.0.1", port, path, headers: { host } }, (response) => {
          let text = ""
          response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk))
          const { statusCode: status, headers } = response
          response.on("end", () => resolve({ status, headers, text }))
        }).on("error", reject)
      })
    return yield* Effect.promise(() => story({ ask, port, changed: reload.changed }))
  }).pipe(Effect.scoped, Effect.runPromise)

describe("startDevSite", () => {
  it("[C-377] serves a file that a build has packed as the site does", async () => {
    await served(async ({ ask }) => {
      const { status, headers } = await ask("/Build/game.wasm.br")
      expect([status, headers["content-type"], headers["content-encoding"]]).toEqual([
        200,
        "application/wasm",
        "br"
      ])
      expect((await ask("/main.js")).headers["content-encoding"]).toBeUndefined()
    })
  })

  it("[file.static.dev-serves] serves the files of the folder by their types, never from a cache", async () => {
    await served(async ({ ask }) => {
      const script = await ask("/main.js?x")
      expect(script).toMatchObject({ status: 200, text: "built" })
      expect(script.headers).toMatchObject({
        "content-type": "text/javascript; charset=utf-8",
        "cache-control": "no-store",
        "x-content-type-options": "nosniff"
      })
      expect((await ask("/%C3%A9%20b.txt")).text).toBe("é")
      expect((await ask("/")).headers["content-type"]).toBe("text/html; charset=utf-8")
      expect(await ask("/sub?x=1")).toMatchObject({
        status: 301,
        headers: { location: "/sub/?x=1" }
      })
      expect(await ask("/gone")).toMatchObject({ status: 404, text: "the site has no such file\n" })
      await game.write({ "dist/404.html": "<p>none</p>" })
      const none = await ask("/gone")
      expect(none.status).toBe(404)
      expect(none.text).toContain("<p>none</p>")
    })
  })

  it("[C-372] puts the reload script into pages alone, inside of the body", async () => {
    await served(async ({ ask, changed }) => {
      const tag = (version: string) => `<script src="/.atrium/reload.js?v=${version}"></script>`
      expect((await ask("/")).text).toBe(`<body>page${tag("run.0")}</body>`)
      expect((await ask("/sub/")).text).toBe(`<h1>sub</h1>${tag("run.0")}`)
      changed()
      expect((await ask("/")).text).toContain(tag("run.1"))
      expect((await ask("/.atrium/reload.js?v=run.1")).text).toContain("location.reload()")
    })
  })

  it("[C-372] tells the pages that are open of every change", async () => {
    await served(async ({ port, changed }) => {
      const socket = connect(port, "127.0.0.1")
      let text = ""
      socket.setEncoding("utf8").on("data", (chunk: string) => (text += chunk))
      socket.write("GET /.atrium/reload HTTP/1.1\r\nhost: localhost\r\n\r\n")
      await expect.poll(() => text).toContain("data: run.0\n\n")
      changed()
      await expect.poll(() => text).toContain("data: run.1\n\n")
      socket.destroy()
    })
  })

  it("[C-372] serves nothing that a deploy would not publish, and nothing outside of the folder", async () => {
    await symlink("../secret.txt", join(game.path, "dist/link.txt"))
    await symlink("..", join(game.path, "dist/up"))
    const paths = [
      "/.env",
      "/.git/HEAD",
      "/.hidden",
      "/node_modules/a.js",
      "/link.txt",
      "/up/secret.txt",
      "/../secret.txt",
      "/%2e%2e/secret.txt",
      "/..%2fsecret.txt",
      "/sub/../../secret.txt",
      "/..%5csecret.txt",
      "//secret.txt",
      "/main.js%00.txt",
      "/main.js/",
      "/%ff"
    ]
    await served(async ({ ask }) => {
      for (const path of paths) {
        const { status, text } = await ask(path)
        expect([path, status === 404 || status === 400]).toEqual([path, true])
        expect(text).not.toContain("secret")
      }
    })
  })

  it("[C-372] answers names of this machine alone, so that no other page can read it", async () => {
    await served(async ({ ask, port }) => {
      const names = [
        `localhost:${port}`,
        `127.0.0.1:${port}`,
        "[::1]",
        "chess.localhost:1",
        "LOCALHOST"
      ]
      for (const host of names) expect((await ask("/", host)).status).toBe(200)
      for (const host of [
        "evil.example",
        "localhost.evil.example",
        "evil.example:80",
        "notlocalhost",
        "127.0.0.1.evil.example"
      ]) {
        expect([host, (await ask("/", host)).status]).toEqual([host, 403])
      }
    })
  })

  it("[C-372] takes the port that it is told, or says that it cannot", async () => {
    await served(async ({ port }) => {
      const reload = makeLiveReload("other")
      const shown = () => ({ root: game.path, bundled: new Map<string, Uint8Array>() })
      const second = startDevSite({ shown, reload }, port).pipe(Effect.scoped, Effect.flip)
      expect((await Effect.runPromise(second)).message).toBe(
        `--site-port: ${port} is in use, or not allowed`
      )
    })
  })

  it("[C-372] serves what the bundler has made instead of the file of that name", async () => {
    await served(
      async ({ ask }) => {
        expect(await ask("/main.js")).toMatchObject({ status: 200, text: "bundled" })
        expect((await ask("/main.css")).headers["content-type"]).toBe("text/css; charset=utf-8")
      },
      new Map([
        ["main.js", Buffer.from("bundled")],
        ["main.css", Buffer.from("")]
      ])
    )
  })
})
