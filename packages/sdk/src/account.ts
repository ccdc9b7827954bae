/** Several devices that are one player: `@atrium/sdk/account`. */
export {
  type Account,
  type AccountExport,
  deleteAccount,
  type DeletedAccount,
  type Device,
  type DeviceLabel,
  exportAccount,
  keepDevice,
  type LinkCode,
  makeLinkCode,
  readAccount,
  redeemLinkCode,
  revokeDevice
} from "./account/Account.ts"
