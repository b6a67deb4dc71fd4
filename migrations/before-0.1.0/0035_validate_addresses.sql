-- Validates the constraints of 0034 while sales go on.
alter table tenants
  validate constraint tenants_brand_logo_scheme,
  validate constraint tenants_link_template_scheme;
alter table tours
  validate constraint tours_image_url_scheme,
  validate constraint tours_images_schemes;
