/** All that a webhook is sent with; the client adds what HTTP itself needs. @param signature what Standard Webhooks asks for */
export function webhookHeaders(signature: Record<string, string>): Record<string, string> {
  return {
    'content-type': 'application/json',
    'user-agent': 'tour-platform-webhooks/1',
    ...signature,
  };
}
