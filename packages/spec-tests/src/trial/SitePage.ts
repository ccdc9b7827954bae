import { get as plain, type IncomingMessage } from "node:http"
import { get as secure } from "node:https"

import { Mismatch } from "../check/Expect.ts"

/** What a browser gets at an address of a site. */
export interface SitePage {
  readonly status: number
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  readonly text: string
}

const answerMax = 1024 * 1024

/** Asks for an address as a browser does, which knows that each name below `localhost` is this machine. */
export const sitePage = (
  address: string,
  signal: AbortSignal,
  headers: Readonly<Record<string, string>> = {}
): Promise<SitePage> => {
  const url = new URL(address)
  const isLocal = /(?:^|\.)localhost$/.test(url.hostname)
  const options = {
    host: isLocal ? "127.0.0.1" : url.hostname.replace(/^\[|\]$/g, ""),
    port: url.port,
    path: url.pathname + url.search,
    headers: { ...headers, host: url.host },
    servername: url.hostname,
    agent: false,
    signal
  }
  return new Promise((resolve, reject) => {
    const fail = (cause: Error): void =>
      reject(new Mismatch(address, { expected: "an answer", actual: cause.message }))
    const take = (message: IncomingMessage): void => {
      let text = ""
      message.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk
        if (text.length > answerMax) message.destroy(new Error("an endless answer"))
      })
      message.on("error", fail)
      message.on("end", () =>
        resolve({ status: message.statusCode ?? 0, headers: message.headers, text })
      )
    }
    const outgoing = url.protocol === "https:" ? secure(options, take) : plain(options, take)
    outgoing.on("error", fail)
  })
}
