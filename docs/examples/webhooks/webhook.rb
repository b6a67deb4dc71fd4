# webhook.rb
require 'openssl'

# Takes request.headers and request.raw_post of Rails.
def genuine?(secret, headers, body)
  id, timestamp, signatures = %w[id timestamp signature].map { |part| headers["webhook-#{part}"].to_s }
  return false unless timestamp.match?(/\A\d+\z/) && (Time.now.to_i - timestamp.to_i).abs <= 300

  key = secret.delete_prefix('whsec_').unpack1('m')
  mac = OpenSSL::HMAC.digest('SHA256', key, "#{id}.#{timestamp}.#{body}")
  expected = "v1,#{[mac].pack('m0')}"
  signatures.split.any? { |given| OpenSSL.secure_compare(expected, given) }
end
