import { expect, test } from "vitest"

import { Client } from "../client/Client.ts"
import { FakeTime } from "../client/testing/FakeTime.ts"
import {
  deleteAccount,
  exportAccount,
  keepDevice,
  makeLinkCode,
  readAccount,
  redeemLinkCode,
  revokeDevice
} from "./Account.ts"

const linkedAt = "2026-01-01T03:04:05.006Z"
const row = { deviceId: "dev_1", label: null, linkedAt, current: true }
const device = { ...row, linkedAt: new Date(linkedAt) }

/** A service that answers in turn, and what it was asked. */
const stage = (options: object, ...answers: ReadonlyArray<object>) => {
  const asked: Array<string> = []
  const left = [...answers]
  const port = new FakeTime().port({
    fetch: async (input, init) => {
      const { authorization = "" } = Object(init?.headers)
      const body = typeof init?.body === "string" ? ` ${init.body}` : ""
      const path = String(input).replace("http://rooms.example", "")
      asked.push(`${init?.method ?? "GET"} ${path}${body} ${authorization}`.trim())
      return Response.json(left.shift() ?? {})
    }
  })
  const client = new Client("http://rooms.example", { project: "p_1", ...options }, port)
  return { client, asked }
}
const mine = { token: "eyJ" }

test("[D-28] links a device with the code of another, both by the tokens of their clients", async () => {
  const made = stage(mine, { code: "7K3PV0QA", expiresAt: linkedAt })
  expect(await makeLinkCode(made.client)).toEqual({
    code: "7K3PV0QA",
    expiresAt: new Date(linkedAt)
  })
  expect(made.asked).toEqual([`POST /v1/account/link-code {"project":"p_1"} Bearer eyJ`])
  const { client, asked } = stage(mine, { accountId: "pl_1", devices: [row] })
  const linked = await redeemLinkCode(client, "7k3p-v0qa", { label: "phone" })
  expect(linked).toEqual({ accountId: "pl_1", devices: [device] })
  expect(asked).toEqual([
    `POST /v1/account/link {"project":"p_1","code":"7k3p-v0qa","label":"phone"} Bearer eyJ`
  ])
})

test("[D-28] reads, revokes and deletes", async () => {
  const { client, asked } = stage(mine, { accountId: "pl_1", devices: [row] }, row, {
    accountId: "pl_1",
    deleted: true,
    scoresKeptAs: "pl_2"
  })
  expect(await readAccount(client)).toEqual({ accountId: "pl_1", devices: [device] })
  expect(await revokeDevice(client, "dev_1")).toEqual(device)
  expect(await deleteAccount(client)).toEqual({ accountId: "pl_1", scoresKeptAs: "pl_2" })
  expect(asked).toEqual([
    "GET /v1/account?project=p_1 Bearer eyJ",
    "DELETE /v1/account/devices/dev_1?project=p_1 Bearer eyJ",
    "DELETE /v1/account?project=p_1 Bearer eyJ"
  ])
})

test("[C-540] exports all pages as one", async () => {
  const page = (rows: object, next: string | null) => ({ rows, next })
  const { client, asked } = stage(
    mine,
    page({ values: [{ key: "a" }] }, "n1"),
    page({ values: [{ key: "b" }], devices: [] }, null)
  )
  expect(await exportAccount(client)).toEqual({
    values: [{ key: "a" }, { key: "b" }],
    devices: []
  })
  expect(asked).toEqual([
    "GET /v1/account/export?project=p_1 Bearer eyJ",
    "GET /v1/account/export?project=p_1&after=n1 Bearer eyJ"
  ])
})

test("[C-543] a client with a device's credential is the player of the device", async () => {
  const kept = stage(mine, { device: row, credential: "cp_x" })
  expect(await keepDevice(kept.client)).toEqual({ device, credential: "cp_x" })
  const token = { playerId: "pl_1", token: "eyD", expiresAt: "2030-01-01T00:00:00.000Z" }
  const { client, asked } = stage({ device: "cp_x" }, token, { accountId: "pl_1", devices: [] })
  await readAccount(client)
  expect(asked).toEqual([
    `POST /v1/identity {"project":"p_1","device":"cp_x"}`,
    "GET /v1/account?project=p_1 Bearer eyD"
  ])
})

test.each([{}, { code: 5 }, { accountId: "pl_1", devices: [{}] }])(
  "[D-28] an answer of another form is an error: %j",
  async (answer) => {
    for (const call of [makeLinkCode, readAccount, deleteAccount, keepDevice]) {
      await expect(call(stage(mine, answer).client)).rejects.toMatchObject({ code: "E_PROTOCOL" })
    }
  }
)
