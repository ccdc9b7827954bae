import type { RunningService } from "./RunningService.ts"

export interface ControlReply {
  readonly status: number
  readonly body: Record<string, unknown>
}

/** The control listener of a service that was started with `--control-port`. */
export interface ControlUnderTest {
  readonly url: string
  readonly token: string
  /** Posts to a hook: `clock/now`. */
  ask(hook: string, body?: unknown, token?: string): Promise<ControlReply>
}

/** The service may still have to start: where its listener is, is read when it is asked. */
export const controlOf = (service: Pick<RunningService, "output">): ControlUnderTest => {
  const line = (): readonly [url: string, token: string] => {
    const [, url, token] = /^control (\S+) (\S+)$/m.exec(service.output()) ?? []
    if (url === undefined || token === undefined) throw new Error("no control line")
    return [url, token]
  }
  const ask = async (hook: string, body: unknown = {}, bearer?: string): Promise<ControlReply> => {
    const [url, token] = line()
    const response = await fetch(`${url}/_control/${hook}`, {
      method: "POST",
      headers: { authorization: `Bearer ${bearer ?? token}` },
      body: JSON.stringify(body)
    })
    return { status: response.status, body: Object(await response.json()) }
  }
  return {
    get url() {
      return line()[0]
    },
    get token() {
      return line()[1]
    },
    ask
  }
}
