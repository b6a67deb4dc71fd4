<?php
// webhook.php

/** Takes array_change_key_case(getallheaders()) and file_get_contents('php://input'). */
function is_genuine(string $secret, array $headers, string $body): bool
{
    $id = $headers['webhook-id'] ?? '';
    $timestamp = $headers['webhook-timestamp'] ?? '';
    if (!ctype_digit($timestamp) || abs(time() - (int) $timestamp) > 300) {
        return false;
    }
    $key = base64_decode(substr($secret, strlen('whsec_')));
    $mac = hash_hmac('sha256', "$id.$timestamp.$body", $key, true);
    $genuine = false;
    foreach (explode(' ', $headers['webhook-signature'] ?? '') as $given) {
        $genuine = hash_equals('v1,' . base64_encode($mac), $given) || $genuine;
    }
    return $genuine;
}
