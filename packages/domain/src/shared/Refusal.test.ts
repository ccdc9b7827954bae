import { expect, test } from "vitest"

import {
  BadRequest,
  EvictFailed,
  NotFound,
  RoomInUse,
  RoomNotFound,
  RoomStarted,
  ScopeMissing,
  Unauthenticated
} from "./Refusal.ts"

// Spec: Errors, HTTP API errors.
test.each([
  ["error.http.E_BAD_REQUEST", BadRequest, 400],
  ["error.http.E_UNAUTHENTICATED", Unauthenticated, 401],
  ["error.http.E_SCOPE", ScopeMissing, 403],
  ["error.http.E_NOT_FOUND", NotFound, 404],
  ["error.http.E_ROOM_NOT_FOUND", RoomNotFound, 404],
  ["error.http.E_ROOM_IN_USE", RoomInUse, 409],
  ["error.http.E_ROOM_STARTED", RoomStarted, 409],
  ["error.http.E_EVICT_FAILED", EvictFailed, 502]
])("[%s] has the status of the specification's table", (id, refusal, status) => {
  expect(id.endsWith(refusal.identifier)).toBe(true)
  expect(refusal.ast.annotations?.["httpApiStatus"]).toBe(status)
})
