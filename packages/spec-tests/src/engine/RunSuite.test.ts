import type { Socket } from "node:net"

import { afterEach, describe, expect, it } from "vitest"

import type { Check } from "../check/Check.ts"
import { same } from "../check/Expect.ts"
import type { Trial } from "../trial/Trial.ts"
import { type FakeImplementation, startFake, startRaw } from "./testing/FakeImplementation.ts"
import { fakeSuite, plainIds, runFake, secretsOfFake } from "./testing/FakeRun.ts"

const [id, second, third] = plainIds

let fakes: Array<FakeImplementation> = []
afterEach(async () => {
  await Promise.all(fakes.map((fake) => fake.close()))
  fakes = []
})

type Answer = Parameters<typeof startFake>[0]
const fakeOf = async (answer: Answer = (_, response) => response.end("{}")) => {
  const fake = await startFake(answer)
  fakes.push(fake)
  return fake
}
const rawOf = async (connected: (socket: Socket) => void) => {
  const fake = await startRaw(connected)
  fakes.push(fake)
  return fake
}

const check = (run: Check["run"], more: Partial<Check> = {}): Check => ({
  ids: [id],
  title: "it answers",
  run,
  ...more
})
const asks = async (trial: Trial): Promise<void> => {
  const { status } = await trial.send({ method: "GET", path: "/asked" })
  same("the status", status, 200)
}
const statusOf = async (baseUrl: string, some: Check) => {
  const { verdicts, results } = await runFake({
    suite: fakeSuite({ checks: [some], ids: [id] }),
    baseUrl
  })
  return { status: verdicts[0]?.status, result: results[0] }
}

describe("an implementation", () => {
  it("[conformance.run] that does what it should passes", async () => {
    const { baseUrl } = await fakeOf()
    expect(await statusOf(baseUrl, check(asks))).toMatchObject({
      status: "pass",
      result: { status: "pass", trace: [], curl: null, expected: null }
    })
  })

  it("[conformance.run] that does not fails, with both sides, the trace and a command", async () => {
    const { baseUrl } = await fakeOf((_, response) => response.writeHead(500).end("oops"))
    const { result } = await statusOf(baseUrl, check(asks))
    expect(result).toMatchObject({
      status: "fail",
      reason: "the status",
      expected: "200",
      actual: "500",
      curl: `curl -i -X GET '${baseUrl}/asked'`
    })
    expect(result?.trace).toEqual([
      "GET /asked",
      expect.stringMatching(/^ {2}500 in \d+ ms: oops$/)
    ])
  })

  it("[C-92] that takes requests and never answers fails in time", async () => {
    const { baseUrl } = await fakeOf((request, response) => {
      if (request.url === "/") response.end()
    })
    const beganMs = performance.now()
    const { result } = await statusOf(baseUrl, check(asks, { timeoutMs: 300 }))
    expect(result).toMatchObject({ status: "fail", reason: "it did not come to an end in time" })
    expect(result?.trace).toEqual(["GET /asked"])
    expect(performance.now() - beganMs).toBeLessThan(5000)
  })

  it("[C-301] has as many times the time of a check as the run has patience", async () => {
    const { baseUrl } = await fakeOf((request, response) => {
      if (request.url === "/") response.end()
    })
    const checks = [check(asks, { timeoutMs: 100 })]
    const suite = fakeSuite({ checks, ids: [id] })
    const { results } = await runFake({ suite, baseUrl, patience: 4 })
    expect(results).toMatchObject([{ reason: "it did not come to an end in time" }])
    // Timers of Node may fire a millisecond before their time.
    expect(results[0]?.tookMs).toBeGreaterThanOrEqual(399)
  })

  it("[C-301] that refuses a step on the way fails: it is not untestable", async () => {
    const { baseUrl } = await fakeOf((request, response) => {
      if (request.url?.endsWith("/keys") === true) response.writeHead(500)
      response.end("{}")
    })
    const minting = check(async (trial) => {
      await (await trial.project()).key("rooms:read")
    })
    expect(await statusOf(baseUrl, minting)).toMatchObject({
      status: "fail",
      result: { reason: "a new key", expected: "what a check needs", actual: "500 {}" }
    })
  })

  it("[C-92] that closes every connection fails, not the suite", async () => {
    const { baseUrl } = await fakeOf((request, response) => {
      if (request.url === "/") response.end()
      else request.socket.destroy()
    })
    const { status, result } = await statusOf(baseUrl, check(asks))
    expect(status).toBe("fail")
    expect(result).toMatchObject({ expected: "an answer", actual: "ECONNRESET" })
  })

  it("[C-92] that answers 100 MB fails before it has sent them", async () => {
    let sentBytes = 0
    const chunk = Buffer.alloc(1024 * 1024, "x")
    const { baseUrl } = await fakeOf((request, response) => {
      if (request.url === "/") return response.end()
      const send = (): void => {
        while (sentBytes < 100 * chunk.byteLength && !response.destroyed) {
          sentBytes += chunk.byteLength
          if (!response.write(chunk)) return
        }
        response.end()
      }
      response.on("drain", send)
      return send()
    })
    const { result } = await statusOf(baseUrl, check(asks))
    expect(result).toMatchObject({ status: "fail", actual: "more than 67108864 bytes" })
    expect(sentBytes).toBeLessThan(100 * chunk.byteLength)
  })

  const garbage: ReadonlyArray<readonly [string, string]> = [
    ["no HTTP", "\u0000\u0001 nonsense\r\n\r\n"],
    ["half a head", "HTTP/1.1 200 OK\r\ncontent-le"],
    ["less than it says", "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nfew"]
  ]
  it.each(garbage)("[conformance.hostile] that answers %s fails", async (_, text) => {
    const { baseUrl } = await fakeOf((request, response) => {
      if (request.url === "/") response.end()
      else request.socket.end(text)
    })
    const { result } = await statusOf(baseUrl, check(asks))
    expect(result).toMatchObject({ status: "fail", expected: "an answer" })
  })

  it("[conformance.smoke] that answers nothing at all is untestable, and not asked row by row", async () => {
    const { baseUrl } = await rawOf((socket) => socket.destroy())
    let asked = 0
    const some = check(() => Promise.resolve(void asked++))
    const { status, result } = await statusOf(baseUrl, some)
    expect({ status, asked }).toEqual({ status: "untestable", asked: 0 })
    expect(result?.reason).toMatch(/^(?:the address answers|two accounts have projects): /)
  })
})

describe("a check", () => {
  it("[conformance.run] that breaks is an error of the suite", async () => {
    const { baseUrl } = await fakeOf()
    const broken = check(() => Promise.reject(new TypeError("no such field")))
    const { status, result } = await statusOf(baseUrl, broken)
    expect(status).toBe("error")
    expect(result?.reason).toContain("TypeError: no such field")
  })

  it("[conformance.run] that never ends is ended, and cannot go on", async () => {
    const { baseUrl, requests } = await fakeOf()
    let went: Promise<unknown> | null = null
    const hangs = check(
      (trial) => {
        went = new Promise((resolve) => trial.signal.addEventListener("abort", resolve))
          .then(() => trial.send({ method: "GET", path: "/late" }))
          .then(
            () => "sent",
            () => "refused"
          )
        return new Promise(() => undefined)
      },
      { timeoutMs: 100 }
    )
    expect((await statusOf(baseUrl, hangs)).status).toBe("fail")
    expect(await went).toBe("refused")
    expect(requests).not.toContain("GET /late")
  })

  it("[conformance.run] cleans up, last in, first out, also when it fails", async () => {
    const { baseUrl } = await fakeOf()
    const cleaned: Array<string> = []
    const fails = check((trial) => {
      trial.later(() => Promise.resolve(cleaned.push("first")))
      trial.later(() => Promise.reject(new Error("a cleanup that fails")))
      trial.later(() => Promise.resolve(cleaned.push("last")))
      same("it", 1, 2)
      return Promise.resolve()
    })
    expect((await statusOf(baseUrl, fails)).status).toBe("fail")
    expect(cleaned).toEqual(["last", "first"])
  })

  it("[conformance.run] that wants to be alone is", async () => {
    const { baseUrl } = await fakeOf()
    let running = 0
    const together: Array<number> = []
    const counted = (more: Partial<Check>): Check =>
      check(async (trial) => {
        running++
        await trial.send({ method: "GET", path: "/" })
        together.push(running)
        running--
      }, more)
    const alone = { alone: true } as const
    const checks = [counted(alone), counted({}), counted(alone), counted({})]
    await runFake({ suite: fakeSuite({ checks }), baseUrl })
    expect(together).toHaveLength(4)
    expect(together.slice(2)).toEqual([1, 1])
  })
})

describe("an ambient rule", () => {
  const rule = (look: () => string | null | undefined) =>
    fakeSuite({
      checks: [check(asks)],
      ambientRules: [{ ids: [second], title: "no oops", look }],
      ids: [id, second]
    })
  const looks: ReadonlyArray<readonly [string, () => string | null | undefined, string]> = [
    ["holds", () => null, "pass"],
    ["is broken", () => "an oops", "fail"],
    ["was never seen", () => undefined, "untestable"]
  ]
  it.each(looks)("[C-92] a rule that %s", async (_, look, status) => {
    const { baseUrl } = await fakeOf()
    const { verdicts } = await runFake({ suite: rule(look), baseUrl })
    expect(verdicts.map((verdict) => verdict.status)).toEqual(["pass", status])
  })

  it("[conformance.ambient] a broken ambient rule is reported beside the selection, unless it is skipped", async () => {
    const { baseUrl } = await fakeOf()
    const ids = async (more: { readonly skip?: ReadonlyArray<string> }, fault: string | null) => {
      const suite = rule(() => fault)
      const { verdicts } = await runFake({ suite, baseUrl, only: [id], ...more })
      return verdicts.map((verdict) => verdict.id)
    }
    expect(await ids({}, null)).toEqual([id])
    expect(await ids({}, "an oops")).toEqual([id, second])
    expect(await ids({ skip: [second] }, "an oops")).toEqual([id])
  })

  it("[conformance.ambient] a rule that breaks is an error of the suite, not of the check", async () => {
    const { baseUrl } = await fakeOf()
    const { verdicts } = await runFake({
      suite: rule(() => {
        throw new Error("a rule at fault")
      }),
      baseUrl
    })
    expect(verdicts.map(({ status }) => status)).toEqual(["pass", "error"])
  })
})

describe("a run that is ended", () => {
  it("[conformance.interrupt] tells what ran, and that the rest did not", async () => {
    const { baseUrl } = await fakeOf((request, response) => {
      if (request.url !== "/never") response.end()
    })
    const control = new AbortController()
    const checks = [
      check(asks),
      check((trial) => trial.send({ method: "GET", path: "/never" }).then(() => undefined), {
        ids: [second]
      }),
      check(asks, { ids: [third], alone: true })
    ]
    const { verdicts, lines, footer } = await runFake({
      suite: fakeSuite({ checks }),
      baseUrl,
      signal: control.signal,
      onLine: (line) => {
        if (line.type === "result") control.abort(new Error("interrupted"))
      }
    })
    expect(verdicts.map(({ status }) => status)).toEqual(["pass", "not-run", "not-run"])
    expect(footer?.end).toBe("interrupted")
    expect(lines.map(({ type }) => type).filter((type) => type !== "smoke")).toEqual([
      "header",
      "result",
      "verdict",
      "verdict",
      "verdict",
      "footer"
    ])
  })
})

describe("a declared part that is absent", () => {
  const suite = fakeSuite({ checks: [check(asks, { needs: ["clock"] })], ids: [id] })

  it("[conformance.smoke] a control listener that does not answer makes its rows untestable", async () => {
    const { baseUrl } = await fakeOf()
    const { baseUrl: url } = await rawOf((socket) => socket.destroy())
    const config = { control: { url, token: "control-secret-token" } }
    const { verdicts, smoke } = await runFake({ suite, baseUrl, config })
    expect(verdicts[0]?.status).toBe("untestable")
    expect(verdicts[0]?.reason).toContain("the control listener does not answer")
    expect(smoke.find(({ what }) => what === "hook clock")?.ok).toBe(false)
  })

  it("[conformance.smoke] a declared hook that the listener lacks is untestable; an undeclared hook is unsupported", async () => {
    const { baseUrl } = await fakeOf((_, response) => response.end('{"hooks":["seed"]}'))
    const control = { url: baseUrl, token: "control-secret-token" }
    const declared = await runFake({
      suite,
      baseUrl,
      config: { control: { ...control, hooks: ["clock"] } }
    })
    expect(declared.verdicts[0]).toMatchObject({
      status: "untestable",
      reason: expect.stringContaining("the control listener has no clock")
    })
    const found = await runFake({ suite, baseUrl, config: { control } })
    expect(found.verdicts[0]).toMatchObject({
      status: "unsupported",
      reason: "not declared: clock"
    })
  })

  it("[conformance.smoke] a declared tool that is not configured, or does not start, makes its checks untestable", async () => {
    const { baseUrl } = await fakeOf()
    const cli = fakeSuite({ checks: [check(asks, { needs: ["cli"] })], ids: [id] })
    for (const config of [
      { features: ["cli"] },
      { features: ["cli"], cli: { argv: ["/nonexistent/tool"], loggedInEnv: {} } as const },
      {
        features: ["cli"],
        cli: { argv: ["/bin/false"], loggedInEnv: {} } as const
      }
    ]) {
      const { verdicts } = await runFake({ suite: cli, baseUrl, config })
      expect(verdicts[0]?.status).toBe("untestable")
    }
  })

  it("[conformance.smoke] accounts that get no project leave nothing to ask", async () => {
    const { baseUrl } = await fakeOf()
    const config = {
      accounts: [secretsOfFake[0], secretsOfFake[1]] as const,
      baseUrl: `${baseUrl}/below`
    }
    const { verdicts } = await runFake({
      suite: fakeSuite({ checks: [check(asks)], ids: [id] }),
      baseUrl,
      config
    })
    expect(verdicts[0]).toMatchObject({
      status: "untestable",
      reason: expect.stringContaining("two accounts have projects")
    })
  })
})
